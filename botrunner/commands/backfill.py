"""/memory backfill: a channel's older history, read after an estimate and a yes, for who manages the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import discord
from discord import app_commands
from discord.ext import commands

from botrunner.actions import texts_moderators
from botrunner.commands.admin import MANAGES
from botrunner.commands.buttons import Confirm
from botrunner.commands.responding import answer, can_read, promise
from botrunner.history.estimate import Historic

if TYPE_CHECKING:
    from botrunner.connection.bot import Bot
    from botrunner.history.backfill_run import Backfilling

Named = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.ForumChannel | discord.Thread


class Backfill(commands.Cog):
    """Asks the reader of histories, which goes on in the background and over restarts."""

    bot: Bot

    @app_commands.command(name="backfill")
    @app_commands.describe(
        action="start: after an estimate; progress: how far each is; cancel: stop, what was read stays",
        channel="This channel, if you name none",
    )
    @MANAGES
    async def backfill(
        self, interaction: discord.Interaction, action: Literal["start", "progress", "cancel"] = "start",
        channel: Named | None = None,
    ) -> None:  # fmt: skip
        """Read what was said in a channel before the bot came, and remember it."""
        asked = await promise(interaction)
        place, reader = channel or interaction.channel, self._reader()
        assert interaction.guild is not None
        if action == "progress":
            lines = await reader.progress(interaction.guild, readable=asked.readable)
            await answer(interaction, "\n".join(lines) or texts_moderators.NOT_BACKFILLED)
        elif not isinstance(place, Historic) or not _reads(interaction.user, place):
            await answer(interaction, texts_moderators.NOT_READABLE)
        elif action == "cancel":
            await answer(interaction, await reader.cancel(place, actor=asked.steward))
        else:
            await _start(interaction, reader, place, actor=asked.steward)

    def _reader(self) -> Backfilling:
        reader = self.bot.get_cog("Backfilling")
        assert reader is not None
        return reader  # type: ignore[return-value]  # the only cog of this name


def _reads(user: discord.User | discord.Member, place: Historic) -> bool:
    """Tell whether who asks can read the channel: what they have read is told to them."""
    return isinstance(user, discord.Member) and can_read(user, place)


async def _start(interaction: discord.Interaction, reader: Backfilling, place: Historic, *, actor: str) -> None:
    """Show what it takes, and begin when the caller says yes."""
    try:
        expected = await reader.estimate(place)
    except discord.Forbidden:
        await answer(interaction, texts_moderators.BOT_MAY_NOT_READ)
        return

    async def act() -> str:
        return await reader.begin(place, expected=expected.messages, actor=actor)

    view = Confirm(interaction, act, do="Read it", leave="Leave it", kept=texts_moderators.NOTHING_READ)
    await answer(interaction, expected.words(), view=view)
