"""/memory remember, correct, undo, forget: what members do with their own memory."""

from __future__ import annotations

from collections.abc import Sequence

import discord
from discord import app_commands
from discord.app_commands import Range
from discord.ext import commands

from botrunner import threads
from botrunner.actions import Caller, show, texts_members
from botrunner.actions import memory as own
from botrunner.commands.buttons import Confirm
from botrunner.commands.responding import answer, promise, suggesting

A_BATCH = 100  # memories forgotten in one go: other writers need their turn
SAYABLE = suggesting(show.suggest, kinds=("fact", "line"))
UNDOABLE = suggesting(own.suggest_undo)


class Own(commands.Cog):
    """Changes what is known about the caller, and nobody else."""

    @app_commands.command()
    @app_commands.describe(text="One statement about you, for example: Lives in Toronto")
    async def remember(self, interaction: discord.Interaction, text: Range[str, 1, 400]) -> None:
        """Have something about you remembered."""
        asked, now = await promise(interaction), discord.utils.utcnow()
        await answer(interaction, await threads.run(own.remember, asked, text=text, now=now))

    @app_commands.command()
    @app_commands.describe(memory="The number that /memory list shows", text="What is true instead")
    @app_commands.autocomplete(memory=SAYABLE)
    async def correct(
        self, interaction: discord.Interaction, memory: Range[str, 1, 100], text: Range[str, 1, 400]
    ) -> None:
        """Put something about you right; what it was learned from stays its source."""
        asked, now = await promise(interaction), discord.utils.utcnow()
        await answer(interaction, await threads.run(own.correct, asked, memory=memory, text=text, now=now))

    @app_commands.command()
    @app_commands.describe(memory="A number; without one, the last change of what is known about you")
    @app_commands.autocomplete(memory=UNDOABLE)
    async def undo(self, interaction: discord.Interaction, memory: Range[str, 1, 100] = "") -> None:
        """Take the last change of a memory back: a merger, an end, a correction, a line taken out."""
        asked, now = await promise(interaction), discord.utils.utcnow()
        await answer(interaction, await threads.run(own.undo, asked, memory=memory, now=now))

    @app_commands.command()
    @app_commands.describe(what="A number that /memory list shows, words, or: all")
    @app_commands.autocomplete(what=SAYABLE)
    async def forget(self, interaction: discord.Interaction, what: Range[str, 1, 100]) -> None:
        """Forget what is known about you, after you have seen it and confirmed."""
        asked = await promise(interaction)
        found = await threads.run(own.matching, asked, what=what)
        if not found:
            await answer(interaction, own.unmatched(what))
            return

        async def act() -> str:
            return texts_members.forgotten(await _forget(asked, [which for which, _ in found]))

        await answer(interaction, texts_members.preview(found), view=Confirm(interaction, act))


async def _forget(asked: Caller, marks: Sequence[str]) -> int:
    """Forget what was shown, a batch at a time; what was learned since stays."""
    done = 0
    for start in range(0, len(marks), A_BATCH):
        done += await threads.run(own.forget, asked, marks[start : start + A_BATCH], now=discord.utils.utcnow())
    return done
