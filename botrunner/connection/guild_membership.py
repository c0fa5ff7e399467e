"""Knows which guilds the bot is in: after it is removed from one, that guild's memory goes after a grace period."""

from __future__ import annotations

import discord
from discord.ext import commands

from botrunner import threads
from botrunner.bot import Bot
from botrunner.capture import convert, handlers
from botrunner.chat import answer
from botrunner.connection.greeting import greet, greeting
from botrunner.history import gaps
from botrunner.write_queue import Handler, Job
from notes.messages.schemas import GuildRef


class GuildMembership(commands.Cog):
    """A guild that is merely unavailable for a while was not left."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Start the grace period of the memory; the event may come twice."""
        self.bot.grace_period.drop_channels(*(channel.id for channel in convert.channels_of(guild)))
        await self._put(handlers.bot_left, convert.guild_ref(guild))

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """End the grace period of the memory, and say what is stored here and how to stop it."""
        await self._put(handlers.bot_returned, convert.guild_ref(guild), str(guild.me.id))
        settings = await threads.run(answer.settings_of, convert.guild_ref(guild))
        await greet(guild, greeting(settings))

    @commands.Cog.listener()
    async def on_guild_update(self, before: discord.Guild, after: discord.Guild) -> None:
        """Follow a new name."""
        if before.name != after.name:
            await self._put(handlers.rename, convert.guild_ref(after))

    @commands.Cog.listener()
    async def on_shard_ready(self, shard_id: int) -> None:
        """Find out which guilds came and went while the bot was away."""
        bot_id = str(self.bot.user.id) if self.bot.user else ""
        here = {convert.guild_key(guild.id) for guild in self.bot.guilds if guild.shard_id == shard_id}
        for key in await threads.write(gaps.guild_keys, lambda guild_id: self.bot.runs(guild_id, shard_id)):
            handler = handlers.bot_returned if key in here else handlers.bot_absent
            await self._put(handler, GuildRef(key=key), bot_id)
        for guild in self.bot.guilds:
            if guild.shard_id == shard_id and not guild.unavailable:
                await self._put(handlers.rename, convert.guild_ref(guild))

    async def _put(self, handler: Handler, guild: GuildRef, item: str | None = None) -> None:
        await self.bot.write_queue.put(Job(handler, guild, item))
