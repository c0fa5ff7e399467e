"""The tree of slash commands: told to Discord only when it has changed, and honest when a command fails."""

from __future__ import annotations

import hashlib
import json
import logging
from typing import Any

import discord
from discord import app_commands
from django.conf import settings

from botrunner import failures

logger = logging.getLogger(__name__)

SORRY = "That did not work; nothing was changed. Try again in a moment."
ONLY_IN_GUILDS = "This works only in a server that the bot is a member of."


class Tree(app_commands.CommandTree[Any]):
    """Answers a failed command, and logs where it failed."""

    async def on_error(self, interaction: discord.Interaction, error: app_commands.AppCommandError, /) -> None:
        """Say so to the caller, without the error's own words."""
        alone = isinstance(error, app_commands.NoPrivateMessage)
        if not alone:
            cause = error.__cause__ or error
            command = interaction.command.qualified_name if interaction.command else ""
            logger.error("a command failed", extra=failures.told(cause) | {"command": command})
        await _say(interaction, ONLY_IN_GUILDS if alone else SORRY)


async def tell_discord(tree: app_commands.CommandTree[Any]) -> None:
    """Register the commands if they are others than the last time; without them the bot still hears."""
    commands = [command.to_dict(tree) for command in tree.get_commands()]
    told = json.dumps([tree.client.application_id, commands], sort_keys=True)
    digest, kept = hashlib.sha256(told.encode()).hexdigest(), settings.DATA_DIR / "discord_commands"
    if kept.exists() and kept.read_text(encoding="ascii") == digest:
        return
    try:
        await tree.sync()
    except discord.HTTPException as error:
        logger.warning("the slash commands could not be registered", extra=failures.told(error))
        return
    kept.write_text(digest, encoding="ascii")


async def _say(interaction: discord.Interaction, text: str) -> None:
    try:
        if interaction.response.is_done():
            await interaction.edit_original_response(content=text, view=None)
        else:
            await interaction.response.send_message(text, ephemeral=True)
    except discord.HTTPException:
        logger.info("a failed command could not be answered")
