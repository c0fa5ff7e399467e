"""Hears what happens in the guilds and hands it on: messages, edits, deletions, channels that open or close."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING

import discord
from discord.ext import commands

from botrunner import errands, translate
from botrunner.errands import Heard
from botrunner.outbox import Errand, Job
from botrunner.recent import Recent
from notes.incoming import GuildRef

if TYPE_CHECKING:
    from botrunner.client import Bot

logger = logging.getLogger(__name__)

FRESH = timedelta(minutes=10)
"""An edit may overtake its message by this much; older ones that are unknown were left out for a reason."""
WARN_EACH = 100
TEXT_TAKEN_BACK = {"no_text", "no_entry"}
STAYS_KEPT = {"", "nsfw"}
"""Reasons that don't touch what is stored already: its text still follows the edit."""


class Listener(commands.Cog):
    """Every handler may see an event twice, late, or for something unknown."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.left_out: Counter[str] = Counter()
        self.gone = Recent()

    # --- Messages ---

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Take in what a member says."""
        await self.hear(message)

    async def hear(self, *messages: discord.Message) -> None:
        """Hand on what may be kept, count the rest; returns when all of it is written or waits behind other writes."""
        await self.bot.outbox.put(*(job for message in messages if (job := self._job(message))))

    def _job(self, message: discord.Message) -> Job | None:
        reason = translate.refused(message)
        if reason or message.id in self.gone or message.guild is None:
            self._leave_out(reason or "deleted", message)
            return None
        return Job(errands.receive, translate.guild_ref(message.guild), _heard(message))

    @commands.Cog.listener()
    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Follow an edit of the text; pins and link previews come the same way and are none."""
        message, before = payload.message, payload.cached_message
        if "content" not in payload.data or message.edited_at is None or message.id in self.gone:
            return
        if before is not None and before.content == message.content:
            return
        reason = translate.refused(message)
        if reason in STAYS_KEPT:
            await self._put(errands.edit, message, _heard(message, reason=reason))
        elif reason in TEXT_TAKEN_BACK:
            await self._put(errands.delete, message, str(message.id))
        elif reason == "not_permitted":
            self._leave_out(reason, message)

    @commands.Cog.listener()
    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Forget a deleted message."""
        await self._forget(payload.guild_id, [payload.message_id])

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """Forget many deleted messages."""
        await self._forget(payload.guild_id, payload.message_ids)

    async def _forget(self, guild_id: int | None, message_ids: Iterable[int]) -> None:
        if guild_id is None:
            return
        for message_id in message_ids:
            self.gone.add(message_id)
        guild = GuildRef(key=translate.guild_key(guild_id))
        await self.bot.outbox.put(*(Job(errands.delete, guild, str(message_id)) for message_id in message_ids))

    async def _put(self, errand: Errand, message: discord.Message, item: object) -> None:
        if message.guild is not None:
            await self.bot.outbox.put(Job(errand, translate.guild_ref(message.guild), item))

    def _leave_out(self, reason: str, message: discord.Message) -> None:
        """Count it; without the intent Discord shows only what is addressed to the bot, and that is no surprise."""
        self.left_out[reason] += 1
        times = self.left_out[reason]
        if reason == "not_permitted" and self.bot.intents.message_content and times % WARN_EACH == 1:
            logger.warning(
                "Discord withholds the text of messages: is the message content intent on in the developer portal?",
                extra={"guild": message.guild.id if message.guild else 0, "withheld": times},
            )

    # --- Places ------------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Forget what was said in a deleted thread."""
        guild = GuildRef(key=translate.guild_key(payload.guild_id))
        await self.bot.outbox.put(Job(errands.delete_channels, guild, str(payload.thread_id)))

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Forget what was said in a deleted channel and its threads."""
        await self.bot.outbox.put(Job(errands.delete_channels, translate.guild_ref(channel.guild), str(channel.id)))

    @commands.Cog.listener()
    async def on_guild_channel_update(self, _before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        """Keep a channel's name and audience, and so those of its threads, up to date."""
        threads = getattr(after, "threads", [])
        await self.refresh(after.guild, [after, *threads])

    @commands.Cog.listener()
    async def on_thread_update(self, _before: discord.Thread, after: discord.Thread) -> None:
        """Keep a thread's name up to date."""
        await self.refresh(after.guild, [after])

    @commands.Cog.listener()
    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        """Look at every channel again when what everybody may do has changed."""
        if after.is_default() and before.permissions != after.permissions:
            await self.refresh(after.guild, translate.places(after.guild))

    @commands.Cog.listener()
    async def on_shard_ready(self, shard_id: int) -> None:
        """Look at every channel of the shard again: changes went unseen."""
        for guild in self.bot.guilds:
            if guild.shard_id == shard_id:
                await self.refresh(guild, translate.places(guild))

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Look at every channel again after a time in which changes went unseen."""
        await self.refresh(guild, translate.places(guild))

    async def refresh(self, guild: discord.Guild, channels: Iterable[translate.Place]) -> None:
        """Hand on what channels are called and who reads them."""
        ref = translate.guild_ref(guild)
        jobs = [Job(errands.refresh, ref, translate.described(channel)) for channel in channels]
        await self.bot.outbox.put(*jobs)


def _heard(message: discord.Message, *, reason: str = "") -> Heard:
    late = bool(reason) or discord.utils.utcnow() - message.created_at > FRESH
    parent = message.channel.parent if isinstance(message.channel, discord.Thread) else None
    return Heard(translate.incoming(message), parent=translate.described(parent) if parent else None, late=late)
