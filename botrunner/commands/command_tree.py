"""The tree of commands: registered with Discord only when it has changed, and honest when a command fails."""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
from typing import Any

import discord
from discord import app_commands
from django.conf import settings
from django.db import InterfaceError, OperationalError

from botrunner import error_text
from botrunner.commands import responding
from memoryhub.db.trouble import is_full

logger = logging.getLogger(__name__)

SORRY = "That did not work. Try again in a moment; if it stays so, tell whoever runs this bot the number {number}."
FULL = "The disk of this bot's memory is full, so nothing was stored. Tell whoever runs the bot the number {number}."
BUSY = "Memory is busy just now. Try again in a minute; if it stays so, tell whoever runs this bot the number {number}."
ONLY_IN_GUILDS = "Memory belongs to a server that the bot is a member of: use this there."
NOT_LOADED = (
    "I do not see this server's channels just now: I have only come back, or Discord has trouble. Nothing was done. "
    "Try again in a minute."
)
NEEDS = "For this you need the permission {names} here. Ask somebody who has it."
TITLES = {"manage_guild": "Manage Server"}  # permissions whose name in Discord's app is another than their title


class CommandTree(app_commands.CommandTree[Any]):
    """Answers a failed command, and logs where it failed."""

    async def interaction_check(self, interaction: discord.Interaction, /) -> bool:
        """Run no command, and suggest nothing, in a guild of which nothing is known yet. Raises NotLoaded."""
        if interaction.type is discord.InteractionType.autocomplete:
            return interaction.guild is None or not interaction.guild.unavailable
        responding.check_loaded(interaction)
        return True

    async def on_error(self, interaction: discord.Interaction, error: app_commands.AppCommandError, /) -> None:
        """Tell the caller why they may not run the command here, or that it failed; never the error's own words."""
        if isinstance(error, responding.TooLate):
            logger.info("a command came too late")
            return
        command = interaction.command.qualified_name if interaction.command else ""
        await responding.respond(interaction, refusal(error) or explain(error.__cause__ or error, doing=command))

    async def sync_changes(self) -> None:
        """Register the commands if they are others than the last time; without them the bot still hears."""
        commands = [command.to_dict(self) for command in self.get_commands()]
        content = json.dumps([self.client.application_id, commands], sort_keys=True)
        digest, stored = hashlib.sha256(content.encode()).hexdigest(), settings.DATA_DIR / "discord_commands"
        if stored.exists() and stored.read_text(encoding="ascii") == digest:
            return
        try:
            await self.sync()
        except discord.HTTPException as error:
            logger.warning("the commands could not be registered", extra=error_text.log_fields(error))
            return
        stored.write_text(digest, encoding="ascii")


def refusal(error: Exception) -> str:
    """Return why a command may not be run here or by this member; "" for what failed."""
    match error:
        case app_commands.NoPrivateMessage():
            return ONLY_IN_GUILDS
        case responding.NotLoaded():
            return NOT_LOADED
        case app_commands.MissingPermissions(missing_permissions=missing):
            titles = [TITLES.get(name, name.replace("_", " ").title()) for name in missing]
            return NEEDS.format(names=" and ".join(titles))
    return ""


def explain(error: BaseException, *, doing: str) -> str:
    """Log a failure under a number of its own, and return what to tell the caller."""
    number = secrets.token_hex(4)
    logger.error("a command failed", extra=error_text.log_fields(error) | {"command": doing, "number": number})
    busy = isinstance(error, OperationalError | InterfaceError)
    return (FULL if is_full(error) else BUSY if busy else SORRY).format(number=f"`{number}`")
