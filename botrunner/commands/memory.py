"""/memory remember, correct, undo, forget, profile: what members do with their own memory."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import Range
from discord.ext import commands

from botrunner import threads
from botrunner.actions import memory as actions
from botrunner.actions import show, texts_members
from botrunner.commands.buttons import Confirm
from botrunner.commands.responding import answer, autocomplete, defer, reply

A_BATCH = 100  # memories forgotten in one go: other writers need their turn
ENTRIES = autocomplete(show.suggest, kinds=("entry",))
FACTS_AND_ENTRIES = autocomplete(show.suggest, kinds=("fact", "entry"))
UNDOABLE = autocomplete(actions.suggest_undo)


class Change(commands.Cog):
    """Changes what is known about the caller, and nobody else."""

    @app_commands.command()
    @app_commands.describe(
        text="One statement about you, for example: Lives in Toronto",
        insist="Store it although it was refused; for who manages the server",
    )
    async def remember(
        self, interaction: discord.Interaction, text: Range[str, 1, 400], *, insist: bool = False
    ) -> None:
        """Have something about you remembered."""
        if insist and not interaction.permissions.manage_guild:
            raise app_commands.MissingPermissions(["manage_guild"])
        await reply(interaction, actions.remember, text=text, now=discord.utils.utcnow(), insist=insist)

    @app_commands.command()
    @app_commands.describe(memory="The number that /memory list shows", text="What is true instead")
    @app_commands.autocomplete(memory=FACTS_AND_ENTRIES)
    async def correct(
        self, interaction: discord.Interaction, memory: Range[str, 1, 100], text: Range[str, 1, 400]
    ) -> None:
        """Put something about you right; what it was learned from stays its source."""
        await reply(interaction, actions.correct, memory=memory, text=text, now=discord.utils.utcnow())

    @app_commands.command()
    @app_commands.describe(memory="A number; without one, the last change of what is known about you")
    @app_commands.autocomplete(memory=UNDOABLE)
    async def undo(self, interaction: discord.Interaction, memory: Range[str, 1, 100] = "") -> None:
        """Take the last change of a memory back: a merger, an end, a correction, a line taken out."""
        await reply(interaction, actions.undo, memory=memory, now=discord.utils.utcnow())

    @app_commands.command()
    @app_commands.describe(what="A number that /memory list shows, words, or: all")
    @app_commands.autocomplete(what=FACTS_AND_ENTRIES)
    async def forget(self, interaction: discord.Interaction, what: Range[str, 1, 100]) -> None:
        """Forget what is known about you, after you have seen it and confirmed."""
        caller = await defer(interaction)
        found = await threads.run(actions.matching, caller, what=what)
        if not found:
            await answer(interaction, actions.unmatched(what))
            return

        async def act() -> str:
            """Forget what was shown, a batch at a time; what was learned since stays."""
            ids, done = [memory_id for memory_id, _ in found], 0
            for start in range(0, len(ids), A_BATCH):
                batch = ids[start : start + A_BATCH]
                done += await threads.run(actions.forget, caller, batch, now=discord.utils.utcnow())
            return texts_members.forgotten(done)

        await answer(interaction, texts_members.preview(found), view=Confirm(interaction, act))

    @app_commands.command()
    @app_commands.describe(line="The number of a line", text="Your own words for it", remove="Take the line out")
    @app_commands.autocomplete(line=ENTRIES)
    async def profile(
        self, interaction: discord.Interaction, line: Range[str, 1, 100] = "", text: Range[str, 1, 400] = "",
        remove: bool = False,  # noqa: FBT001, FBT002  what Discord sends
    ) -> None:  # fmt: skip
        """Show your profile here, word a line anew, or take one out."""
        now = discord.utils.utcnow()
        if line and remove:
            await reply(interaction, actions.remove_entry, entry_id=line, now=now)
        elif line and text:
            await reply(interaction, actions.reword_entry, entry_id=line, text=text, now=now)
        else:
            await reply(interaction, actions.show_profile)
