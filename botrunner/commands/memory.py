"""/memory remember, correct, undo, forget, profile: what members do with their own memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import discord
from discord import app_commands
from discord.app_commands import Range
from discord.ext import commands

from botrunner import threads
from botrunner.actions import Caller, show, texts_members
from botrunner.actions import memory as actions
from botrunner.actions.listing import Page
from botrunner.commands.buttons import READING, Answer, Confirm, show_pages
from botrunner.commands.responding import answer, autocomplete, defer, reply

A_BATCH = 100  # memories forgotten in one go: other writers need their turn
ENTRIES = autocomplete(show.suggest, kinds=("entry",))
FACTS_AND_ENTRIES = autocomplete(show.suggest, kinds=("fact", "entry"))
UNDOABLE = autocomplete(actions.suggest_undo)
INSIST = "Store it although it was refused; for server managers"


class Change(commands.Cog):
    """Changes what is known about the caller, and nobody else."""

    @app_commands.command()
    @app_commands.describe(
        text="One statement about you, for example: Lives in Toronto",
        insist=INSIST,
    )
    async def remember(
        self, interaction: discord.Interaction, text: Range[str, 1, 400], *, insist: bool = False
    ) -> None:
        """Have something about you remembered."""
        _refuse_insisting(interaction, insist=insist)
        await reply(interaction, actions.remember, text=text, now=discord.utils.utcnow(), insist=insist)

    @app_commands.command()
    @app_commands.describe(memory="The number that /memory list shows", text="What is true instead", insist=INSIST)
    @app_commands.autocomplete(memory=FACTS_AND_ENTRIES)
    async def correct(
        self, interaction: discord.Interaction, memory: Range[str, 1, 100], text: Range[str, 1, 400],
        *, insist: bool = False,
    ) -> None:  # fmt: skip
        """Put something about you right; what it was learned from stays its source."""
        _refuse_insisting(interaction, insist=insist)
        await reply(interaction, actions.correct, memory=memory, text=text, now=discord.utils.utcnow(), insist=insist)

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
            sources = await threads.run(actions.sources_holding, caller, what=what)
            text, view = await _still_said(interaction, caller, sources, actions.unmatched(what))
            await answer(interaction, text, view=view)
            return

        async def act() -> Answer:
            """Forget what was shown; what was learned since stays."""
            ids = [memory_id for memory_id, _ in found]
            sources = await threads.run(actions.sources_of, caller, ids)
            done = await _in_batches(actions.forget, caller, ids)
            return await _still_said(interaction, caller, sources, texts_members.FORGOTTEN.format(count=done))

        await answer(interaction, texts_members.preview(found), view=Confirm(interaction, act))

    @app_commands.command()
    @app_commands.describe(
        line="The number of a line", text="Your own words for it", remove="Take the line out", insist=INSIST
    )
    @app_commands.autocomplete(line=ENTRIES)
    async def profile(
        self, interaction: discord.Interaction, line: Range[str, 1, 100] = "", text: Range[str, 1, 400] = "",
        remove: bool = False,  # noqa: FBT001, FBT002  what Discord sends
        *, insist: bool = False,
    ) -> None:  # fmt: skip
        """Show your profile here, word a line anew, or take one out."""
        _refuse_insisting(interaction, insist=insist)
        now = discord.utils.utcnow()
        if line and remove:
            await reply(interaction, actions.remove_entry, entry_id=line, now=now)
        elif line and text:
            await reply(interaction, actions.reword_entry, entry_id=line, text=text, now=now, insist=insist)
        elif text or remove:
            await defer(interaction)
            await answer(interaction, texts_members.WHICH_LINE)
        else:
            caller = await defer(interaction)

            async def read(number: int) -> Page:
                return await threads.run(actions.show_profile, caller, page=number)

            await show_pages(interaction, read)


def _refuse_insisting(interaction: discord.Interaction, *, insist: bool) -> None:
    """Raise MissingPermissions for who insists and does not manage the server."""
    if insist and not interaction.permissions.manage_guild:
        raise app_commands.MissingPermissions(["manage_guild"])


async def _in_batches(forget: Callable[..., int], caller: Caller, ids: Sequence[str]) -> int:
    """Forget a batch at a time; return how many went."""
    batches = [ids[start : start + A_BATCH] for start in range(0, len(ids), A_BATCH)]
    return sum([await threads.run(forget, caller, batch, now=discord.utils.utcnow()) for batch in batches])


async def _still_said(
    interaction: discord.Interaction, caller: Caller, sources: actions.Sources, done: str
) -> Answer:  # fmt: skip
    """Say what was done and what says it still, and offer to forget the caller's own messages among that."""
    said, own = await threads.run(actions.still_said, caller, sources)
    text = f"{done}\n{said}" if said else done

    async def act() -> str:
        gone = await _in_batches(actions.forget_messages, caller, own)
        return texts_members.MESSAGES_GONE.format(count=gone)

    kept = f"{done} {texts_members.MESSAGES_STAY}"
    view = Confirm(interaction, act, do="Forget them too", leave="Keep them", kept=kept, seconds=READING)
    return Answer(text, view if own else None)
