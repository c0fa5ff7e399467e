"""Hears what happens in the guilds and hands it on: messages, edits, deletions, channels that open or close."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import TYPE_CHECKING

import discord
from discord.ext import commands
from django.conf import settings

from botrunner import threads as bridge
from botrunner.capture import convert, filters, handlers
from botrunner.capture.grace_period import Said
from botrunner.capture.handlers import Heard
from botrunner.capture.pluralkit import Proxies, Speaker
from botrunner.capture.recent_ids import Recent
from botrunner.capture.write_queue import Errand, Job
from notes.messages.schemas import GuildRef, IncomingAuthor

if TYPE_CHECKING:
    from botrunner.connection.bot import Bot

logger = logging.getLogger(__name__)

FRESH = timedelta(minutes=10)
"""An edit may overtake its message by this much; older ones that are unknown were left out for a reason."""
WARN_EACH = 100


class Listener(commands.Cog):
    """Every handler may see an event twice, late, or for something unknown."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.left_out: Counter[str] = Counter()
        self.gone = Recent()
        self.proxies = Proxies()
        self.busy = 0  # messages that are looked at

    # --- Messages ---

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Take in what a member says."""
        self.busy += 1
        try:
            await self._take_in(message)
        finally:
            self.busy -= 1

    async def _take_in(self, message: discord.Message) -> None:
        if await self._keepable(message):
            speaker = await self._speaker(message)
            await self.bot.holding.put(
                Said(message.id, _places(message), lambda: _job(handlers.receive, message, speaker))
            )

    async def hear(self, *messages: discord.Message, old: bool = False) -> None:
        """Take in what was said meanwhile, or as a channel's old history; returns when all of it is written."""
        kept = [message for message in messages if await self._keepable(message)]
        jobs = [_job(handlers.receive, message, await self._speaker(message), old=old) for message in kept]
        await self.bot.outbox.put(*jobs)
        await self.bot.outbox.drain()

    async def _keepable(self, message: discord.Message) -> bool:
        reason = "deleted" if message.id in self.gone else self._refused(message)
        if reason:
            await self._leave_out(reason, message)
        return not reason

    async def _leave_out(self, reason: str, message: discord.Message) -> None:
        """Count it; a text that Discord withholds is told, unless the operator wants it that way."""
        self.left_out[reason] += 1
        if message.guild is None or not self.withheld(message):
            return
        times = self.left_out[reason]
        if times % WARN_EACH == 1:
            logger.warning(
                "Discord withholds the text of messages: is the message content intent on in the developer portal?",
                extra={"guild": message.guild.id, "withheld": times},
            )
        await self.bot.outbox.put(Job(handlers.count_withheld, convert.guild_ref(message.guild), 1))

    def withheld(self, message: discord.Message) -> bool:
        """Tell whether Discord withholds a text that the operator wants."""
        return settings.DISCORD_MESSAGE_CONTENT and self._refused(message) == "not_permitted"

    def _refused(self, message: discord.Message) -> str:
        direct = message.guild is None and not settings.DISCORD_DIRECT_MESSAGES
        return "direct" if direct else filters.refused(message)

    async def _speaker(self, message: discord.Message) -> Speaker | None:
        if not filters.proxied(message) or not await bridge.run(handlers.hears_proxies, convert.home(message)):
            return None
        return await self.proxies.speaker(message.id)

    @commands.Cog.listener()
    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Follow an edit of the text; pins and link previews come the same way and are none."""
        message, before = payload.message, payload.cached_message
        if "content" not in payload.data or message.edited_at is None or message.id in self.gone:
            return
        if before is not None and before.content == message.content:
            return
        match self._refused(message):
            case "":
                await self._follow(message)
            case "no_text":
                await self._take_back(convert.home(message), [message.id])
            case "not_permitted":
                await self._leave_out("not_permitted", message)

    async def _follow(self, message: discord.Message) -> None:
        speaker = await self._speaker(message)
        if not self.bot.holding.mend(message.id, lambda: _job(handlers.receive, message, speaker)):
            await self.bot.outbox.put(_job(handlers.edit, message, speaker))

    @commands.Cog.listener()
    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Forget a deleted message."""
        await self._forget(payload.guild_id, payload.channel_id, [payload.message_id])

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """Forget many deleted messages."""
        await self._forget(payload.guild_id, payload.channel_id, payload.message_ids)

    async def _forget(self, guild_id: int | None, channel_id: int, message_ids: Collection[int]) -> None:
        for message_id in message_ids:
            self.gone.add(message_id)
        key = convert.guild_key(guild_id) if guild_id else convert.chat_key(channel_id)
        await self._take_back(GuildRef(key=key), message_ids)

    async def _take_back(self, guild: GuildRef, message_ids: Collection[int]) -> None:
        self.bot.holding.drop(message_ids)
        await self.bot.outbox.put(*(Job(handlers.delete, guild, str(message_id)) for message_id in message_ids))

    # --- Places ------------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Forget what was said in a deleted thread."""
        await self._lose(GuildRef(key=convert.guild_key(payload.guild_id)), payload.thread_id)

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Forget what was said in a deleted channel and its threads."""
        await self._lose(convert.guild_ref(channel.guild), channel.id)

    async def _lose(self, guild: GuildRef, channel_id: int) -> None:
        self.bot.holding.drop_places(channel_id)
        await self.bot.outbox.put(Job(handlers.delete_channels, guild, str(channel_id)))

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
            await self.refresh(after.guild, convert.places(after.guild))

    @commands.Cog.listener()
    async def on_shard_ready(self, shard_id: int) -> None:
        """Look at every channel of the shard again: changes went unseen."""
        for guild in self.bot.guilds:
            if guild.shard_id == shard_id:
                await self.refresh(guild, convert.places(guild))

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Look at every channel again after a time in which changes went unseen."""
        await self.refresh(guild, convert.places(guild))

    async def refresh(self, guild: discord.Guild, channels: Iterable[convert.Place]) -> None:
        """Hand on what channels are called and who reads them."""
        ref = convert.guild_ref(guild)
        jobs = [Job(handlers.refresh, ref, convert.described(channel)) for channel in channels]
        await self.bot.outbox.put(*jobs)


def _places(message: discord.Message) -> frozenset[int]:
    place = message.channel
    return frozenset({place.id, place.parent_id} if isinstance(place, discord.Thread) else {place.id})


def _job(errand: Errand, message: discord.Message, speaker: Speaker | None = None, *, old: bool = False) -> Job:
    parent = message.channel.parent if isinstance(message.channel, discord.Thread) else None
    said = convert.incoming(message)
    if old:
        said = said.model_copy(update={"source": "import"})
    if speaker is not None:
        spoken_by = IncomingAuthor(id=speaker.member, name=speaker.name, display_name=speaker.name)
        said = said.model_copy(update={"author": spoken_by})
    heard = Heard(
        said,
        parent=convert.described(parent) if parent else None,
        needs=filters.needs(message),
        behind=speaker.account if speaker else "",
        late=discord.utils.utcnow() - message.created_at > FRESH,
    )
    return Job(errand, convert.home(message), heard)
