"""Two buttons before something is done for good: only the caller may press them, and silence does nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Self

import discord

from botrunner import answers

SECONDS = 30


class Confirm(discord.ui.View):
    """Runs `act` when the caller confirms, and shows what it answers."""

    def __init__(self, asked: discord.Interaction, act: Callable[[], Awaitable[str]]) -> None:
        super().__init__(timeout=SECONDS)
        self.asked, self.act = asked, act

    async def interaction_check(self, interaction: discord.Interaction) -> bool:
        """Let nobody else press."""
        return interaction.user.id == self.asked.user.id

    async def on_timeout(self) -> None:
        """Say that nothing happened."""
        await self._show(answers.KEPT)

    @discord.ui.button(label="Forget", style=discord.ButtonStyle.danger)
    async def confirm(self, interaction: discord.Interaction, _button: discord.ui.Button[Self]) -> None:
        """Do it, once."""
        self.stop()
        await interaction.response.defer()
        await self._show(await self.act())

    @discord.ui.button(label="Keep", style=discord.ButtonStyle.secondary)
    async def cancel(self, interaction: discord.Interaction, _button: discord.ui.Button[Self]) -> None:
        """Do nothing."""
        self.stop()
        await interaction.response.defer()
        await self._show(answers.KEPT)

    async def _show(self, text: str) -> None:
        try:
            await self.asked.edit_original_response(content=text, view=None)
        except discord.HTTPException:
            return  # the question is gone, or older than the 15 minutes that Discord allows
