"""/memory-admin: what moderators may see and do; the commands that erase are in `erase`."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import Range
from discord.ext import commands

from botrunner import threads
from botrunner.actions import admin
from botrunner.actions.community import recaps
from botrunner.commands.responding import answer, autocomplete, defer, reply
from botrunner.commands.show import show_memories
from memory.recaps.recap_writing import MOST_DAYS


def _manages(interaction: discord.Interaction) -> bool:
    """Let only those pass who manage the server, and nobody in a direct chat; raises why not."""
    if interaction.guild is None:
        raise app_commands.NoPrivateMessage
    if not interaction.permissions.manage_guild:
        raise app_commands.MissingPermissions(["manage_guild"])
    return True


MANAGES = app_commands.check(_manages)
UNDOABLE = MANAGES(autocomplete(admin.suggest_undo))  # a command's own checks are not asked while somebody types


class Admin(commands.Cog):
    """Commands on the server's memory; each asks for Manage Server itself, since a server may show them to others."""

    @app_commands.command(name="view")
    @app_commands.describe(member="Whose memory; without a member, the numbers of the server", page="The page to show")
    @MANAGES
    async def view(
        self, interaction: discord.Interaction, member: discord.User | None = None, page: Range[int, 1] = 1
    ) -> None:
        """Show what is known of a member, as far as you can read its source; or how much is known at all."""
        if member is None:
            await reply(interaction, admin.numbers, now=discord.utils.utcnow())
        else:
            await show_memories(interaction, of=str(member.id), query="", page=page)

    @app_commands.command(name="digest")
    @MANAGES
    async def digest(self, interaction: discord.Interaction) -> None:
        """End the open conversations now and have them turned into memory."""
        await reply(interaction, admin.digest, now=discord.utils.utcnow())

    @app_commands.command(name="rebuild")
    @app_commands.describe(member="Whose profile; without a member, everybody's")
    @MANAGES
    async def rebuild(self, interaction: discord.Interaction, member: discord.User | None = None) -> None:
        """Have profiles written anew from facts and notes."""
        person = str(member.id) if member else ""
        await reply(interaction, admin.rebuild, person_id=person, now=discord.utils.utcnow())

    @app_commands.command(name="recap")
    @app_commands.describe(days="Write a draft of so many days; without it, see how recaps are set and the last one")
    @MANAGES
    async def recap(self, interaction: discord.Interaction, days: Range[int, 1, MOST_DAYS] | None = None) -> None:
        """See how recaps are set and where the last one stands, or have a draft written."""
        if days is None:
            await reply(interaction, recaps.show, now=discord.utils.utcnow())
            return
        caller, now = await defer(interaction), discord.utils.utcnow()
        await answer(interaction, await threads.think(recaps.write, caller, days=days, now=now))

    @app_commands.command(name="undo")
    @app_commands.describe(memory="A fact's number; without one, the last merger, edit or end in this server")
    @app_commands.autocomplete(memory=UNDOABLE)
    @MANAGES
    async def undo_any(self, interaction: discord.Interaction, memory: Range[str, 1, 100] = "") -> None:
        """Take the last change of a fact back, whoever it is about."""
        await reply(interaction, admin.undo, memory=memory, now=discord.utils.utcnow())
