"""The button below a reply that used memory, and what it opens: sources for who was answered, to correct or put aside.

The buttons hold what they need in their own ids, so they work after a restart and nothing is stored for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Self

import discord
from discord.ui import ActionRow, Button, DynamicItem

from botrunner import threads
from botrunner.actions import Caller, memory, why_said
from botrunner.actions.texts_members import NOT_YOURS
from botrunner.commands import layout, responding
from botrunner.commands.command_tree import explain, refusal
from memory.replies.used_memories import Used

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
LETTERS = {"fact": "f", "entry": "p", "note": "n", "message": "m"}
KINDS = {letter: kind for kind, letter in LETTERS.items()}
LONGEST = 100  # characters of an id, by Discord's rule
ONLY_WHO_ASKED = "Only the member who was answered sees this. Ask me yourself, or see `/memory list`."
LONGEST_WORDS = 400
BOX = "memory:words:"
Asks = discord.Interaction


def encode(number: int) -> str:
    """Return a number in as few letters as it takes: five memories must fit into a button's id."""
    head, last = divmod(number, len(DIGITS))
    return (encode(head) if head else "") + DIGITS[last]


class WhyButton(DynamicItem[Button[Any]], template=r"memory:why:(?P<asker>[0-9a-z]{1,13}):(?P<used>[0-9a-z.]{2,80})"):
    """“Why?”: shows who was answered which memories the reply used, and nobody else."""

    def __init__(self, asker: int, used: str) -> None:
        name = f"memory:why:{encode(asker)}:{used}"
        super().__init__(Button(label="Why?", custom_id=name, style=discord.ButtonStyle.secondary))
        self.asker, self.used = asker, used

    @classmethod
    def below(cls, asker: int, used: Sequence[Used]) -> discord.ui.View | None:
        """Return the button for a reply; None where it used nothing that can be shown."""
        known = [f"{LETTERS[each.kind]}{encode(int(each.id))}" for each in used if str(each.id).isdecimal()]
        if not known:
            return None
        view = discord.ui.View(timeout=None)
        view.add_item(cls(asker, ".".join(known)))
        return view

    @classmethod
    async def from_custom_id(cls, _interaction: Asks, _item: discord.ui.Item[Any], match: re.Match[str], /) -> Self:
        """Return the button that was pressed."""
        return cls(int(match["asker"], len(DIGITS)), match["used"])

    async def callback(self, interaction: Asks) -> None:
        """Show the sources."""
        if interaction.user.id != self.asker:
            await responding.respond(interaction, ONLY_WHO_ASKED)
            return
        parts = (part for part in self.used.split(".") if len(part) > 1 and part[0] in KINDS)
        used = [(KINDS[part[0]], int(part[1:], len(DIGITS))) for part in parts]

        async def show(caller: Caller) -> None:
            found = await threads.run(why_said.reasons, caller, used)
            own = dict.fromkeys(reason.own for reason in found if reason.own)
            rows: list[layout.Row] = [ActionRow(CorrectButton(name), AsideButton(name)) for name in own]
            page = why_said.explain(found)
            await responding.answer(interaction, page, view=layout.still(page, *rows))

        await _privately(interaction, show)


class CorrectButton(DynamicItem[Button[Any]], template=r"memory:correct:(?P<memory>[#p]\d{1,18})"):
    """“Correct #12”: opens a box with the words."""

    def __init__(self, name: str) -> None:
        label = f"Correct {name}"
        super().__init__(Button(label=label, custom_id=f"memory:correct:{name}", style=discord.ButtonStyle.primary))
        self.name = name

    @classmethod
    async def from_custom_id(cls, _interaction: Asks, _item: discord.ui.Item[Any], match: re.Match[str], /) -> Self:
        """Return the button that was pressed."""
        return cls(match["memory"])

    async def callback(self, interaction: Asks) -> None:
        """Ask for the new words; a box must be the first answer, so it is not deferred."""
        try:
            words = await threads.run(why_said.words_of, responding.caller_of(interaction), self.name)
            if words is None:
                await responding.respond(interaction, NOT_YOURS)
            else:
                await interaction.response.send_modal(Words(self.name, words))
        except Exception as error:  # noqa: BLE001  the bot's error handler
            await responding.respond(interaction, refusal(error) or explain(error, doing="button"))


class AsideButton(DynamicItem[Button[Any]], template=r"memory:aside:(?P<memory>[#p]\d{1,18})"):
    """“Put #12 aside”: it is used no more, and can be brought back."""

    def __init__(self, name: str) -> None:
        label = f"Put {name} aside"
        super().__init__(Button(label=label, custom_id=f"memory:aside:{name}", style=discord.ButtonStyle.danger))
        self.name = name

    @classmethod
    async def from_custom_id(cls, _interaction: Asks, _item: discord.ui.Item[Any], match: re.Match[str], /) -> Self:
        """Return the button that was pressed."""
        return cls(match["memory"])

    async def callback(self, interaction: Asks) -> None:
        """Do it, and say so."""
        await _act(interaction, why_said.put_aside, memory=self.name)


class Words(discord.ui.Modal):
    """The box with the words of a memory, to be put right; `put_right` hears of it, also after a restart."""

    def __init__(self, name: str, words: str) -> None:
        super().__init__(title=f"Put {name} right", custom_id=f"{BOX}{name}")
        self.add_item(
            discord.ui.TextInput(
                label="What is true", custom_id=BOX, default=words[:LONGEST_WORDS], max_length=LONGEST_WORDS,
                style=discord.TextStyle.paragraph,
            )
        )  # fmt: skip


async def put_right(interaction: Asks) -> None:
    """Put the words of a box in place of the old ones."""
    data: Any = interaction.data
    if interaction.type is discord.InteractionType.modal_submit and data["custom_id"].startswith(BOX):
        text = data["components"][0]["components"][0]["value"]
        await _act(interaction, memory.correct, memory=data["custom_id"].removeprefix(BOX), text=text)


async def _act(interaction: Asks, action: Callable[..., str], **fields: str) -> None:
    """Run an action for who pressed, and answer what it returns."""

    async def act(caller: Caller) -> None:
        await responding.answer(interaction, await threads.run(action, caller, now=discord.utils.utcnow(), **fields))

    await _privately(interaction, act)


async def _privately(interaction: Asks, do: Callable[[Caller], Any]) -> None:
    """Promise an answer for the presser's eyes only and give it, or say that it failed; a late press did nothing."""
    try:
        await do(await responding.defer(interaction))
    except responding.TooLate:
        return
    except Exception as error:  # noqa: BLE001  the bot's error handler
        await responding.respond(interaction, refusal(error) or explain(error, doing="button"))


WHY_BUTTONS = (WhyButton, CorrectButton, AsideButton)
