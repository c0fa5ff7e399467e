"""/memory catchup, ask, who, decisions, plans: what a community gets out of its memory."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

import discord
from discord import app_commands
from discord.app_commands import Range
from discord.ext import commands

from botrunner import threads
from botrunner.actions import show
from botrunner.actions.community import agenda
from botrunner.actions.community import catchup as missed
from botrunner.actions.community import who as knowing
from botrunner.actions.listing import Page
from botrunner.commands.buttons import show_pages
from botrunner.commands.responding import answer, defer

BACK = {
    "hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1), "month": timedelta(days=30),
}  # fmt: skip


class Community(commands.Cog):
    """Answers from what the community said; changes nothing."""

    @app_commands.command()
    @app_commands.describe(question="A question to what is remembered here")
    async def ask(self, interaction: discord.Interaction, question: Range[str, 1, 300]) -> None:
        """Ask a question; every sentence of the answer names its source."""
        caller, now = await defer(interaction), discord.utils.utcnow()
        await answer(interaction, await threads.think(show.ask, caller, question=question, now=now))

    @app_commands.command()
    @app_commands.describe(since="How far back; without it, since you last spoke", channel="Only this channel")
    async def catchup(
        self, interaction: discord.Interaction, since: Literal["hour", "day", "week", "month"] | None = None,
        channel: discord.TextChannel | discord.Thread | discord.VoiceChannel | None = None,
    ) -> None:  # fmt: skip
        """Read what you missed: what concerns you, what was decided, what was talked about."""
        caller, now = await defer(interaction), discord.utils.utcnow()
        back = now - BACK[since] if since else None
        place = str(channel.id) if channel else ""

        async def read(number: int) -> Page:
            nonlocal back  # since they last spoke, whatever they say while they read
            page, back = await threads.run(missed.show, caller, since=back, channel_id=place, page=number, now=now)
            return page

        await show_pages(interaction, read)

    @app_commands.command()
    @app_commands.describe(about="What somebody should know about, for example: rust, bees, sourdough")
    async def who(self, interaction: discord.Interaction, about: Range[str, 1, 300]) -> None:
        """Find members who told of something themselves, in their own words."""
        caller, now = await defer(interaction), discord.utils.utcnow()

        async def read(number: int) -> Page:
            return await threads.think(knowing.show, caller, question=about, page=number, now=now)

        await show_pages(interaction, read)

    @app_commands.command()
    @app_commands.describe(query="Only what holds these words")
    async def decisions(self, interaction: discord.Interaction, query: Range[str, 1, 100] = "") -> None:
        """Read what was decided here, the newest first."""
        caller = await defer(interaction)

        async def read(number: int) -> Page:
            return await threads.run(agenda.show_decisions, caller, query=query, page=number)

        await show_pages(interaction, read)

    @app_commands.command()
    @app_commands.describe(query="Only what holds these words", past="Plans whose day has passed")
    async def plans(
        self, interaction: discord.Interaction, query: Range[str, 1, 100] = "", *, past: bool = False
    ) -> None:
        """Read what is planned here, the next first."""
        caller, now = await defer(interaction), discord.utils.utcnow()

        async def read(number: int) -> Page:
            return await threads.run(agenda.show_plans, caller, query=query, past=past, page=number, now=now)

        await show_pages(interaction, read)
