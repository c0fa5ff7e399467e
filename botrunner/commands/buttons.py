"""Buttons below an answer: only the caller may press them, and without a press nothing is done."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Self

import discord
from discord.ui.view import BaseView

from botrunner.actions import texts_members
from botrunner.actions.listing import Page
from botrunner.commands import layout, responding
from botrunner.commands.command_tree import explain

logger = logging.getLogger(__name__)

SECONDS = 30
READING = 300  # seconds; less than the 15 minutes in which Discord lets an answer be changed
TIME_IS_OVER = "The time to answer is over."
NOT_YOURS = "Only who asked may press these buttons. Use the command yourself to get your own."
OUT_OF_DATE = (
    "These buttons are out of date, so nothing was done. Use the command again, for example `/memory forget`: it shows "
    "what there is now."
)
YES, NO, BACK, NEXT = "memory:yes", "memory:no", "memory:back", "memory:next"
"""What Discord hands back when a button is pressed; the same after a restart, so that `OutOfDate` knows it again."""


class Buttons(BaseView):
    """Buttons for one caller; a failure behind them is answered like that of a command."""

    def __init__(self, shown: discord.Interaction, *, seconds: float) -> None:
        super().__init__(timeout=seconds)
        self.shown = shown

    async def interaction_check(self, interaction: discord.Interaction) -> bool:
        """Let nobody else press, and nobody twice: a second press may come before the buttons go."""
        if interaction.user.id != self.shown.user.id:
            await responding.respond(interaction, NOT_YOURS)
        elif self.is_finished():
            await interaction.response.defer()
        else:
            return True
        return False

    async def on_error(self, interaction: discord.Interaction, error: Exception, _item: discord.ui.Item[Any]) -> None:
        """Say that it failed, without the error's own words; a press that Discord forgot meanwhile did nothing."""
        if isinstance(error, discord.NotFound):
            logger.info("a button was answered too late")
            return
        await responding.respond(interaction, explain(error, doing="button"))


class Answer(NamedTuple):
    """What is answered, with the buttons below it."""

    text: str
    view: discord.ui.View | None = None


class Confirm(Buttons, discord.ui.View):
    """Runs `act` when the caller confirms, and shows what it answers."""

    def __init__(
        self, shown: discord.Interaction, act: Callable[[], Awaitable[str | Answer]], *, do: str = "Forget",
        leave: str = "Keep", kept: str = texts_members.KEPT, seconds: float = SECONDS,
    ) -> None:  # fmt: skip
        super().__init__(shown, seconds=seconds)
        self.act, self.kept = act, kept
        self.confirm.label, self.cancel.label = do, leave

    async def on_timeout(self) -> None:
        """Say that time is over and nothing happened."""
        await responding.answer(self.shown, f"{TIME_IS_OVER} {self.kept}", view=None)

    @discord.ui.button(label="Forget", custom_id=YES, style=discord.ButtonStyle.danger)
    async def confirm(self, interaction: discord.Interaction, _button: discord.ui.Button[Self]) -> None:
        """Do it, once."""
        self.stop()
        await interaction.response.defer()
        done = await self.act()
        text, view = done if isinstance(done, Answer) else Answer(done)
        await responding.answer(interaction, text, view=view)

    @discord.ui.button(label="Keep", custom_id=NO, style=discord.ButtonStyle.secondary)
    async def cancel(self, interaction: discord.Interaction, _button: discord.ui.Button[Self]) -> None:
        """Do nothing."""
        self.stop()
        await interaction.response.defer()
        await responding.answer(interaction, self.kept, view=None)


class Pages(Buttons, discord.ui.LayoutView):
    """Turns the pages of a long list; each is read anew, so that nothing is shown that went meanwhile."""

    def __init__(self, shown: discord.Interaction, first: Page, read: Callable[[int], Awaitable[Page]]) -> None:
        super().__init__(shown, seconds=READING)
        self.read = read
        self.back, self.forward = _Turn("Back", BACK, -1), _Turn("Next", NEXT, 1)
        self._set_page(first)

    def _set_page(self, page: Page) -> None:
        self.page = page
        self.back.disabled, self.forward.disabled = page.number <= 1, page.number >= page.last
        self.clear_items()
        self.add_item(layout.container(page, discord.ui.ActionRow(self.back, self.forward)))

    async def on_timeout(self) -> None:
        """Take the buttons away."""
        await responding.answer(self.shown, self.page)

    async def turn(self, interaction: discord.Interaction, pages: int) -> None:
        """Show the page so many further on."""
        await interaction.response.defer()
        self.shown = interaction  # its token is the youngest
        self._set_page(await self.read(self.page.number + pages))
        await responding.answer(interaction, self.page, view=self)


class _Turn(discord.ui.Button[Pages]):
    def __init__(self, label: str, name: str, pages: int) -> None:
        super().__init__(label=label, custom_id=name, style=discord.ButtonStyle.secondary)
        self.pages = pages

    async def callback(self, interaction: discord.Interaction) -> None:
        """Turn to the page before, or after."""
        assert self.view is not None
        await self.view.turn(interaction, self.pages)


async def show_pages(
    interaction: discord.Interaction, read: Callable[[int], Awaitable[Page]], *, page: int = 1
) -> None:  # fmt: skip
    """Answer with a page of a list, with buttons where there are more."""
    first = await read(page)
    fields = {"view": Pages(interaction, first, read)} if first.last > 1 else {}
    await responding.answer(interaction, first, **fields)


class OutOfDate(discord.ui.View):
    """Answers buttons that were shown before a restart, or long ago."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        for name in (YES, NO, BACK, NEXT):
            self.add_item(_OutOfDateButton(custom_id=name))


class _OutOfDateButton(discord.ui.Button[OutOfDate]):
    async def callback(self, interaction: discord.Interaction) -> None:
        """Say so, for the eyes of who pressed."""
        await responding.respond(interaction, OUT_OF_DATE)
