"""/memory help: every command in a line, from the commands themselves, so that none is forgotten."""

from __future__ import annotations

from collections.abc import Iterator

import discord
from discord import app_commands
from discord.ext import commands

from botrunner.actions.listing import Line, Page
from botrunner.commands import layout

HEAD, ONLY_YOU = "What you can ask of this bot's memory", "Only you see the answers."
MODERATORS = "For server managers"
MENUS = "In the menu of a message, under Apps: **Remember this message**, **Forget this message**."
TALK = "Or talk to me: mention me, and ask “what do you know about me?”, “remember that ...”, “forget that ...”."
FOR_MANAGERS = ("memory channel", "memory backfill", "memory-admin")


class Help(commands.Cog):
    """Lists the commands."""

    @app_commands.command()
    async def help(self, interaction: discord.Interaction) -> None:
        """Show what you can ask of this bot's memory."""
        manages = interaction.guild is not None and interaction.permissions.manage_guild
        commands_ = list(_commands(interaction.client))
        own = [each for each in commands_ if not each.qualified_name.startswith(FOR_MANAGERS)]
        theirs = [each for each in commands_ if each.qualified_name.startswith(FOR_MANAGERS)]
        lines = [*(Line(_line(each)) for each in own), Line(MENUS), Line(TALK)]
        lines += [Line(_line(each), MODERATORS) for each in theirs if manages]
        await interaction.response.send_message(view=layout.still(Page(HEAD, lines, ONLY_YOU)), ephemeral=True)


def _commands(client: discord.Client) -> Iterator[app_commands.Command[commands.Cog, ..., object]]:
    """Yield the commands that do something, in the order of their names."""
    tree = getattr(client, "tree", None)
    assert isinstance(tree, app_commands.CommandTree)
    found = [each for each in tree.walk_commands() if isinstance(each, app_commands.Command)]
    yield from sorted(found, key=lambda each: each.qualified_name)


def _line(command: app_commands.Command[commands.Cog, ..., object]) -> str:
    return f"`/{command.qualified_name}` {command.description}"
