"""/memory list, why, search, summarize, privacy: what members may see."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import Range
from discord.ext import commands

from botrunner import bridge
from botrunner.asking import answer, promise, suggesting
from botrunner.buttons import Pages
from botrunner.desk import Caller, looking, privacy
from botrunner.desk.looking import Page

ANY = suggesting(looking.suggest, kinds=("fact", "line", "note"))


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
        await answer(interaction, await bridge.run(looking.explain, await promise(interaction), memory=memory))

    @app_commands.command()
    @app_commands.describe(query="A question, or words")
    async def search(self, interaction: discord.Interaction, query: Range[str, 1, 300]) -> None:
        """Search what may be told in this channel."""
        asked, now = await promise(interaction), discord.utils.utcnow()
        await answer(interaction, await bridge.think(looking.search, asked, question=query, now=now))

    @app_commands.command()
    async def summarize(self, interaction: discord.Interaction) -> None:
        """Sum up what this channel talked about lately."""
        asked = await promise(interaction)
        await answer(interaction, await bridge.think(looking.summarize, asked, now=discord.utils.utcnow()))

    @app_commands.command()
    async def privacy(self, interaction: discord.Interaction) -> None:
        """Read what this bot stores and who sees it."""
        await answer(interaction, await bridge.run(privacy.privacy, await promise(interaction)))


async def show_pages(interaction: discord.Interaction, asked: Caller, *, of: str = "", query: str, page: int) -> None:
    """Show a page of a list, with buttons where there are more."""

    async def read(number: int) -> Page:
        return await bridge.run(looking.listed, asked, of=of, query=query, page=number)

    first = await read(page)
    await answer(interaction, first.text, view=Pages(interaction, first, read) if first.last > 1 else None)
