"""/memory list, why, search, summarize, privacy: what members may see."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import Range
from discord.ext import commands

from botrunner import threads
from botrunner.actions import Caller, privacy, show
from botrunner.actions.show import Page
from botrunner.commands.buttons import Pages
from botrunner.commands.responding import answer, promise, suggesting

ANY = suggesting(show.suggest, kinds=("fact", "line", "note"))


class Looking(commands.Cog):
    """Shows; changes nothing."""

    @app_commands.command(name="list")
    @app_commands.describe(query="Only what contains these words", page="The page to show")
    async def list_(
        self, interaction: discord.Interaction, query: Range[str, 1, 100] = "", page: Range[int, 1] = 1
    ) -> None:
        """Show what is known about you here: facts, your profile, notes."""
        await show_pages(interaction, await promise(interaction), query=query, page=page)

    @app_commands.command()
    @app_commands.describe(memory="The number that /memory list shows")
    @app_commands.autocomplete(memory=ANY)
    async def why(self, interaction: discord.Interaction, memory: Range[str, 1, 100]) -> None:
        """Show where the bot learned something about you."""
        await answer(interaction, await threads.run(show.explain, await promise(interaction), memory=memory))

    @app_commands.command()
    @app_commands.describe(query="A question, or words")
    async def search(self, interaction: discord.Interaction, query: Range[str, 1, 300]) -> None:
        """Search what may be told in this channel."""
        asked, now = await promise(interaction), discord.utils.utcnow()
        await answer(interaction, await threads.think(show.search, asked, question=query, now=now))

    @app_commands.command()
    async def summarize(self, interaction: discord.Interaction) -> None:
        """Sum up what this channel talked about lately."""
        asked = await promise(interaction)
        await answer(interaction, await threads.think(show.summarize, asked, now=discord.utils.utcnow()))

    @app_commands.command()
    async def privacy(self, interaction: discord.Interaction) -> None:
        """Read what this bot stores and who sees it."""
        await answer(interaction, await threads.run(privacy.privacy, await promise(interaction)))


async def show_pages(interaction: discord.Interaction, asked: Caller, *, of: str = "", query: str, page: int) -> None:
    """Show a page of a list, with buttons where there are more."""

    async def read(number: int) -> Page:
        return await threads.run(show.listed, asked, of=of, query=query, page=number)

    first = await read(page)
    await answer(interaction, first.text, view=Pages(interaction, first, read) if first.last > 1 else None)
