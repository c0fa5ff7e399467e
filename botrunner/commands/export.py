"""/memory export: all that is stored of oneself, as a file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import discord
from discord import app_commands
from discord.ext import commands

from botrunner import answers, bridge
from botrunner.asking import answer, promise
from botrunner.desk import exporting

A_MB = 1_000_000


class Export(commands.Cog):
    """Hands out a copy, for the caller's eyes only; nothing of it stays on this machine."""

    @app_commands.command()
    async def export(self, interaction: discord.Interaction) -> None:
        """Get all that is stored of you here, as a file."""
        asked, now = await promise(interaction), discord.utils.utcnow()
        with TemporaryDirectory() as folder:
            try:
                file = await bridge.think(exporting.export, asked, Path(folder), now=now)
            except exporting.TooSoon:
                await answer(interaction, answers.NOT_SO_FAST)
                return
            await _hand_out(interaction, file)


async def _hand_out(interaction: discord.Interaction, file: Path | None) -> None:
    size = file.stat().st_size if file else 0
    if file is None:
        await answer(interaction, answers.NOTHING_STORED)
    elif size > interaction.filesize_limit:
        await answer(interaction, answers.TOO_LARGE.format(size=size // A_MB))
    else:
        await answer(interaction, answers.EXPORTED, attachments=[discord.File(file)])
