"""/memory export: all that is stored of oneself, as a file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import discord
from discord import app_commands
from discord.ext import commands

from botrunner import threads
from botrunner.actions import export as exporting
from botrunner.actions import texts_members
from botrunner.commands.responding import answer, promise

A_MB = 1_000_000


class Export(commands.Cog):
    """Hands out a copy, for the caller's eyes only; nothing of it stays on this machine."""

    @app_commands.command()
    async def export(self, interaction: discord.Interaction) -> None:
        """Get all that is stored of you here, as a file."""
        asked, now = await promise(interaction), discord.utils.utcnow()
        with TemporaryDirectory() as folder:
            try:
                file = await threads.think(exporting.export, asked, Path(folder), now=now)
            except exporting.TooSoon:
                await answer(interaction, texts_members.NOT_SO_FAST)
                return
            await _hand_out(interaction, file)


async def _hand_out(interaction: discord.Interaction, file: Path | None) -> None:
    size = file.stat().st_size if file else 0
    if file is None:
        await answer(interaction, texts_members.NOTHING_STORED)
    elif size > interaction.filesize_limit:
        await answer(interaction, texts_members.TOO_LARGE.format(size=size // A_MB))
    else:
        await answer(interaction, texts_members.EXPORTED, attachments=[discord.File(file)])
