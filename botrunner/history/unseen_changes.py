"""Follows what became of channels while the bot was away: deleted ones, and those moved where nothing is remembered."""

from __future__ import annotations

import logging

import discord
from discord.ext import commands

from botrunner import error_text, threads
from botrunner.actions import channels
from botrunner.bot import Bot
from botrunner.capture import convert
from botrunner.capture.listener import Listener
from botrunner.history import seen_channels
from botrunner.history.seen_channels import Layout
from botrunner.write_queue import Job

logger = logging.getLogger(__name__)


class UnseenChanges(commands.Cog):
    """Compares each guild with what was seen of it last, and notes what is seen from then on."""

    def __init__(self, bot: Bot, listener: Listener) -> None:
        self.bot, self._listener = bot, listener
        # By guild, with the channels that may be there unseen. What is noted of others would hide what changed unseen.
        self._compared: dict[int, Layout] = {}

    @commands.Cog.listener()
    async def on_shard_disconnect(self, shard_id: int) -> None:
        """Note nothing more until the guilds are compared again."""
        for guild in self.bot.guilds:
            if guild.shard_id == shard_id:
                self._compared.pop(guild.id, None)

    @commands.Cog.listener()
    @commands.Cog.listener("on_shard_resumed")
    async def on_shard_ready(self, shard_id: int) -> None:
        """Look at every guild of the shard."""
        for guild in self.bot.guilds:
            if guild.shard_id == shard_id and not guild.unavailable:
                await self.on_guild_available(guild)

    @commands.Cog.listener()
    @commands.Cog.listener("on_guild_join")
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Forget the channels that are gone; those that came into a category without memory lose theirs."""
        seen, hidden = await self.follow_moved(guild), Layout()
        for channel_id in seen.keys() - seen_channels.layout_of(guild).keys():
            if await self._is_gone(int(channel_id)):
                await self._listener.delete_channel(convert.guild_ref(guild), int(channel_id))
            else:
                hidden[channel_id] = seen[channel_id]
        self._compared[guild.id] = hidden
        await self.note(guild)

    async def follow_moved(self, guild: discord.Guild) -> Layout:
        """Have channels follow the category that they were moved to unseen; return what was seen last.

        Who reads what was said meanwhile asks for it first: a second time it changes nothing.
        """
        await self.bot.write_queue.drain()
        seen = await threads.run(seen_channels.seen_in, convert.guild_key(guild.id))
        layout, ref = seen_channels.layout_of(guild), convert.guild_ref(guild)
        moved = [
            (category, convert.incoming_channel(channel))
            for channel in guild.channels
            if (category := layout.get(str(channel.id))) and seen.get(str(channel.id), category) != category
        ]
        await self.bot.write_queue.put(*(Job(channels.follow_category, ref, pair) for pair in moved))
        return seen

    @commands.Cog.listener()
    @commands.Cog.listener("on_guild_channel_delete")
    async def on_guild_channel_create(self, channel: discord.abc.GuildChannel) -> None:
        """Note that a channel came or went."""
        await self.note(channel.guild)

    @commands.Cog.listener()
    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        """Note that a channel was moved."""
        if before.category_id != after.category_id:
            await self.note(after.guild)

    async def note(self, guild: discord.Guild) -> None:
        """Note which channels a guild has, once it was compared."""
        if (hidden := self._compared.get(guild.id)) is not None:
            layout = hidden | seen_channels.layout_of(guild)
            await self.bot.write_queue.put(Job(seen_channels.note, convert.guild_ref(guild), layout))

    async def _is_gone(self, channel_id: int) -> bool:
        """Ask whether a channel was deleted: one that is only hidden from the bot is there."""
        try:
            await self.bot.fetch_channel(channel_id)
        except discord.NotFound:
            return True
        except Exception as error:  # noqa: BLE001  whatever it is, the channel is looked for again next time
            details = error_text.log_fields(error) | {"channel": channel_id}
            logger.info("whether a channel was deleted is not known", extra=details)
        return False
