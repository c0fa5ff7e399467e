"""/memory export: all that is stored of oneself, as a file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import discord
from discord import app_commands
from discord.ext import commands

from botrunner import threads
from botrunner.actions import export, texts_members
from botrunner.commands.responding import answer, defer

A_MB = 1_000_000


class Export(commands.Cog):
    """Hands out a copy, for the caller's eyes only; nothing of it stays on this machine."""

    @app_commands.command()
    async def export(self, interaction: discord.Interaction) -> None:
        """Get all that is stored of you here, as a file."""
        caller, now = await defer(interaction), discord.utils.utcnow()
        with TemporaryDirectory() as folder:
            try:
                file = await threads.think(export.export, caller, Path(folder), now=now)
            except export.TooSoon:
                await answer(interaction, texts_members.NOT_SO_FAST)
                return
            if file is None:
                await answer(interaction, texts_members.NOTHING_STORED)
            elif (size := file.stat().st_size) > interaction.filesize_limit:
                await answer(interaction, texts_members.TOO_LARGE.format(size=size // A_MB))
            else:
                await answer(interaction, texts_members.EXPORTED, attachments=[discord.File(file)])
