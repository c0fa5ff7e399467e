"""Knows which guilds the bot is in: one that removes it is heard no more, and its memory goes after a time of grace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord.ext import commands

from botrunner import threads
from botrunner.capture import convert, handlers
from botrunner.capture.write_queue import Errand, Job
from botrunner.history import gaps
from notes.messages.schemas import GuildRef

if TYPE_CHECKING:
    from botrunner.connection.bot import Bot


class Presence(commands.Cog):
    """A guild that is merely unavailable for a while was not left."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Start the time of grace; the event may come twice."""
        self.bot.holding.drop_places(*(place.id for place in convert.places(guild)))
        await self._tell(handlers.leave, convert.guild_ref(guild))

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """End the time of grace."""
        await self._tell(handlers.come_back, convert.guild_ref(guild), str(guild.me.id))

    @commands.Cog.listener()
    async def on_guild_update(self, before: discord.Guild, after: discord.Guild) -> None:
        """Follow a new name."""
        if before.name != after.name:
            await self._tell(handlers.rename, convert.guild_ref(after))

    @commands.Cog.listener()
    async def on_shard_ready(self, shard_id: int) -> None:
        """Find out which guilds came and went while the bot was away."""
        me = str(self.bot.user.id) if self.bot.user else ""
        here = {convert.guild_key(guild.id) for guild in self.bot.guilds if guild.shard_id == shard_id}
        for key in await threads.run(gaps.guilds, lambda guild_id: self.bot.runs(guild_id, shard_id)):
            errand = handlers.come_back if key in here else handlers.miss
            await self._tell(errand, GuildRef(key=key), me)
        for guild in self.bot.guilds:
            if guild.shard_id == shard_id and not guild.unavailable:
                await self._tell(handlers.rename, convert.guild_ref(guild))

    async def _tell(self, errand: Errand, guild: GuildRef, item: str | None = None) -> None:
        await self.bot.outbox.put(Job(errand, guild, item))
