"""The commands /memory and /memory-admin, and the two entries in a message's menu, put together from their parts."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from botrunner.bot import Bot
from botrunner.commands.admin import Admin
from botrunner.commands.backfill import Backfill
from botrunner.commands.buttons import OutOfDate
from botrunner.commands.channels import Channels
from botrunner.commands.community import Community
from botrunner.commands.erase import Erase, OptOut
from botrunner.commands.help import Help
from botrunner.commands.memory import Change
from botrunner.commands.menus import MENUS
from botrunner.commands.show import Show
from botrunner.commands.why_buttons import WHY_BUTTONS, put_right


@app_commands.allowed_contexts(guilds=True, dms=True, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=False)
class MemoryCommands(
    Show, Change, Community, Channels, Backfill, OptOut, Help, commands.GroupCog,
    group_name="memory", group_description="What is remembered about you",
):  # fmt: skip
    """Every answer is for the caller's eyes only, and deferred before the database is asked.

    What takes a permission is checked in code, at each call. In a direct chat they work where direct messages are
    stored, and else say where they do.
    """

    def __init__(self, bot: Bot) -> None:
        self.bot = bot

    async def cog_load(self) -> None:
        """Put the entries of the menu beside the commands, and answer the buttons of an earlier run."""
        self.bot.add_view(OutOfDate())
        self.bot.add_dynamic_items(*WHY_BUTTONS)
        for menu in MENUS:
            self.bot.tree.add_command(menu)

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Take the words of a box, also of one that an earlier run opened."""
        await put_right(interaction)

    async def cog_unload(self) -> None:
        """Take them out again."""
        self.bot.remove_dynamic_items(*WHY_BUTTONS)
        for menu in MENUS:
            self.bot.tree.remove_command(menu.name, type=menu.type)


@app_commands.guild_only()
@app_commands.allowed_installs(guilds=True, users=False)
@app_commands.default_permissions(manage_guild=True)
class AdminCommands(
    Admin, Erase, commands.GroupCog, group_name="memory-admin",
    group_description="The memory of this server; for server managers",
):  # fmt: skip
    """A command of its own, which Discord hides from who does not manage the server; a server may decide otherwise."""
