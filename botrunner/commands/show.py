"""/memory list, why, search, summarize, privacy, export: what members may see."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import discord
from discord import app_commands
from discord.app_commands import Range
from discord.ext import commands

from botrunner import threads
from botrunner.actions import privacy, show, texts_members
from botrunner.actions.community import who as knowing
from botrunner.actions.listing import Page
from botrunner.commands.buttons import show_pages
from botrunner.commands.responding import answer, autocomplete, defer, reply

A_MB = 1_000_000
ANY_MEMORY = autocomplete(show.suggest, kinds=("fact", "entry", "note"))


class Show(commands.Cog):
    """Shows; changes nothing."""

    @app_commands.command(name="list")
    @app_commands.describe(query="Only what contains these words", page="The page to show")
    async def list_(
        self, interaction: discord.Interaction, query: Range[str, 1, 100] = "", page: Range[int, 1] = 1
    ) -> None:
        """Show what is known about you here: facts, your profile, notes."""
        await show_memories(interaction, query=query, page=page)

    @app_commands.command()
    @app_commands.describe(memory="The number that /memory list shows")
    @app_commands.autocomplete(memory=ANY_MEMORY)
    async def why(self, interaction: discord.Interaction, memory: Range[str, 1, 100]) -> None:
        """Show where the bot learned something about you."""
        await reply(interaction, show.explain, memory=memory)

    @app_commands.command()
    @app_commands.describe(query="A question, or words")
    async def search(self, interaction: discord.Interaction, query: Range[str, 1, 300]) -> None:
        """Search what may be told in this channel."""
        caller, now = await defer(interaction), discord.utils.utcnow()
        await answer(interaction, await threads.think(show.search, caller, question=query, now=now))

    @app_commands.command()
    async def summarize(self, interaction: discord.Interaction) -> None:
        """Sum up what this channel talked about lately."""
        caller = await defer(interaction)
        await answer(interaction, await threads.think(show.summarize_channel, caller, now=discord.utils.utcnow()))

    @app_commands.command()
    @app_commands.describe(findable="off: `/memory who` names you to nobody; on: it may. Without it, nothing changes")
    async def privacy(self, interaction: discord.Interaction, findable: Literal["on", "off"] | None = None) -> None:
        """Read what this bot stores and who sees it, and decide whether others find you by what you know."""
        if findable is None:
            await reply(interaction, privacy.describe)
        else:
            now = discord.utils.utcnow()
            await reply(interaction, knowing.let_be_found, findable=findable == "on", now=now)

    @app_commands.command()
    async def export(self, interaction: discord.Interaction) -> None:
        """Get all that is stored of you here, as a file."""
        caller, now = await defer(interaction), discord.utils.utcnow()
        with TemporaryDirectory() as folder:
            file = await threads.think(privacy.export, caller, Path(folder), now=now)
            if isinstance(file, str):
                await answer(interaction, file)
            elif (size := file.stat().st_size) > interaction.filesize_limit:
                await answer(interaction, texts_members.TOO_LARGE.format(size=size // A_MB))
            else:
                await answer(interaction, texts_members.EXPORTED, attachments=[discord.File(file)])


async def show_memories(interaction: discord.Interaction, *, of: str = "", query: str, page: int) -> None:
    """Show a page of what is known of the caller, or of another member."""
    caller = await defer(interaction)

    async def read(number: int) -> Page:
        return await threads.run(show.list_memories, caller, of=of, query=query, page=number)

    await show_pages(interaction, read, page=page)
