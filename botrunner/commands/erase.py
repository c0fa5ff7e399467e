"""/memory optout, /memory-admin clear and purge-guild: opting out, and erasing a member or a server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

import discord
from discord import app_commands
from discord.app_commands import Range
from discord.ext import commands

from botrunner import threads
from botrunner.actions import Caller, erase, memory, texts_members, texts_moderators
from botrunner.bot import Bot
from botrunner.commands.admin import MANAGES
from botrunner.commands.buttons import Confirm
from botrunner.commands.responding import answer, defer


class OptOut(commands.Cog):
    """Everything that is stored of the caller, if they want that gone."""

    @app_commands.command()
    @app_commands.describe(state="on: nothing you say is stored; off: it may be")
    async def optout(self, interaction: discord.Interaction, state: Literal["on", "off"]) -> None:
        """Decide whether what you say here may be remembered, and whether what is stored goes too."""
        caller, out = await defer(interaction), state == "on"
        text = await threads.run(memory.opt_out, caller, out=out, now=discord.utils.utcnow())
        view = Confirm(
            interaction, lambda: threads.think(erase.erase_own, caller, now=discord.utils.utcnow()),
            do="Erase all of it", leave="Keep it", kept=texts_members.OUT_KEPT,
        )  # fmt: skip
        await answer(interaction, text, view=view if out else None)


class Erase(commands.Cog):
    """Everything that is stored of somebody; each erasure shows what would go, asks, and hands out a receipt."""

    @app_commands.command()
    @app_commands.describe(member="Whose memory")
    @MANAGES
    async def clear(self, interaction: discord.Interaction, member: discord.User) -> None:
        """Erase all that is stored of a member: messages, facts, profile, their part in notes."""
        caller, person, name = await defer(interaction), str(member.id), member.display_name
        await _ask(
            interaction, await threads.run(erase.planned, caller, person_id=person),
            lambda: threads.think(erase.erase, caller, person_id=person, name=name, now=discord.utils.utcnow()),
            what=name, unknown=texts_moderators.UNKNOWN, then=texts_moderators.THEN_THEIRS,
        )  # fmt: skip

    @app_commands.command(name="purge-guild")
    @app_commands.describe(name="The server's name, exactly as it stands")
    @MANAGES
    async def purge_guild(self, interaction: discord.Interaction, name: Range[str, 1, 100]) -> None:
        """Erase all that is stored of this server, its settings and files too."""
        caller = await defer(interaction)
        if name != caller.guild.name:
            await answer(interaction, texts_moderators.WRONG_NAME.format(name=caller.guild.name))
            return
        await _ask(
            interaction, await threads.run(erase.planned, caller), lambda: _purge(interaction, caller, name),
            what=name, unknown=texts_moderators.UNKNOWN_GUILD, then=texts_moderators.THEN_ALL,
        )  # fmt: skip


async def _purge(interaction: discord.Interaction, caller: Caller, name: str) -> str:
    """Erase a server, once its moderators are told."""
    await threads.think(erase.announce_purge, caller, now=discord.utils.utcnow())
    if isinstance(interaction.client, Bot) and interaction.guild_id is not None:
        await interaction.client.post_now(interaction.guild_id)
    return await threads.think(erase.erase, caller, name=name, now=discord.utils.utcnow())


async def _ask(
    interaction: discord.Interaction, planned: dict[str, int] | None, act: Callable[[], Awaitable[str]], *, what: str,
    unknown: str, then: str,
) -> None:  # fmt: skip
    """Show what would go and ask; nothing is asked where nothing is known."""
    if planned is None:
        await answer(interaction, unknown)
        return
    view = Confirm(interaction, act, do="Erase", leave="Keep", kept=texts_moderators.NOTHING_DONE)
    await answer(interaction, texts_moderators.erasing(what, planned, then=then), view=view)
