"""Hears what happens in the guilds and hands it on: messages, edits, deletions, channels that open or close."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar

import discord
from discord.ext import commands
from django.conf import settings

from botrunner import error_text, threads
from botrunner.bot import Bot
from botrunner.capture import convert, filters, handlers
from botrunner.capture.handlers import IncomingEvent
from botrunner.capture.pluralkit import PluralKit, Speaker
from botrunner.grace_period import HeldMessage
from botrunner.write_queue import Handler, Job
from notes.messages.schemas import GuildRef, IncomingAuthor

logger = logging.getLogger(__name__)
T = TypeVar("T")

FRESH = timedelta(minutes=10)
"""An edit may overtake its message by this much; older ones that are unknown were left out for a reason."""
WARN_EACH = 100
MOST_DELETED, MOST_EDITED = 10_000, 1_000
"""Messages of which it is remembered that they were deleted, or how they read now, in case they come only later."""


class Listener(commands.Cog):
    """Every handler may see an event twice, late, or for something unknown."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.left_out: Counter[str] = Counter()
        self.deleted: dict[int, None] = {}
        self.edited: dict[int, discord.Message] = {}
        self.deleted_channels: set[int] = set()
        self.proxies = PluralKit()
        self.looked_at: set[int] = set()  # messages that are not handed on yet: finding a proxy's author takes a while

    # --- Messages ---

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Take in what a member says."""
        self.looked_at.add(message.id)
        try:
            if await self._may_keep(self._newest(message)):
                speaker = await self._speaker(message)
                if self._is_deleted(message):  # while it was asked who speaks
                    return
                channel = message.channel
                ids = {channel.id, channel.parent_id} if isinstance(channel, discord.Thread) else {channel.id}
                await self.bot.grace_period.put(
                    HeldMessage(
                        message.id, frozenset(ids), lambda: _job(handlers.receive, self._newest(message), speaker)
                    )
                )
        finally:
            self.looked_at.discard(message.id)

    async def hear(self, *messages: discord.Message, old: bool = False) -> None:
        """Take in what was said meanwhile, or as a channel's old history; returns when all of it is written."""
        kept: list[tuple[discord.Message, Speaker | None]] = []
        for message in messages:
            with _alone(message):
                if await self._may_keep(self._newest(message)):
                    kept.append((message, await self._speaker(message)))
        jobs: list[Job] = []
        # While the others were looked at, some may have been deleted or edited: that may be written already.
        for message, speaker in kept:
            with _alone(message):
                if not self._is_deleted(message):
                    jobs.append(_job(handlers.receive, self._newest(message), speaker, old=old))
        await self.bot.write_queue.put(*jobs)
        await self.bot.write_queue.drain()

    def _newest(self, message: discord.Message) -> discord.Message:
        """Return a message as it reads after the edits that were seen: they may overtake it."""
        if (edited := self.edited.get(message.id)) is None:
            return message
        return max(edited, message, key=lambda each: each.edited_at or each.created_at)

    async def _may_keep(self, message: discord.Message) -> bool:
        reason = "deleted" if self._is_deleted(message) else self._refusal(message)
        if reason:
            await self._leave_out(reason, message)
        return not reason

    def _is_deleted(self, message: discord.Message) -> bool:
        """Tell whether a message was deleted, or its channel, or the one that its thread hangs on."""
        places = {message.channel.id, getattr(message.channel, "parent_id", None)}
        return message.id in self.deleted or not self.deleted_channels.isdisjoint(places)

    async def _leave_out(self, reason: str, message: discord.Message) -> None:
        """Count it; warn of a text that Discord withholds, unless the operator wants it that way."""
        self.left_out[reason] += 1
        if message.guild is None or not self.is_withheld(message):
            return
        times = self.left_out[reason]
        if times % WARN_EACH == 1:
            logger.warning(
                "Discord withholds the text of messages: is the message content intent on in the developer portal?",
                extra={"guild": message.guild.id, "withheld": times},
            )
        await self.bot.write_queue.put(Job(handlers.count_withheld, convert.guild_ref(message.guild), 1))

    def is_withheld(self, message: discord.Message) -> bool:
        """Tell whether Discord withholds a text that the operator wants."""
        return settings.DISCORD_MESSAGE_CONTENT and self._refusal(message) == "not_permitted"

    def _refusal(self, message: discord.Message) -> str:
        direct = message.guild is None and not settings.DISCORD_DIRECT_MESSAGES
        return "direct" if direct else filters.refusal(message)

    async def _speaker(self, message: discord.Message) -> Speaker | None:
        """Return who speaks through a proxy, where the guild wants to know."""
        if not filters.is_proxied(message):
            return None
        if not await threads.run(handlers.hears_proxies, convert.guild_of(message)):
            return None
        return await self.proxies.speaker(message.id)

    @commands.Cog.listener()
    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Follow an edit of the text; pins and link previews come the same way and are none."""
        message, before = payload.message, payload.cached_message
        if "content" not in payload.data or message.edited_at is None or self._is_deleted(message):
            return
        if before is not None and before.content == message.content:
            return
        _put_newest(self.edited, {message.id: message}, most=MOST_EDITED)
        match self._refusal(message):
            case "":
                speaker = await self._speaker(message)
                if self._is_deleted(message):
                    return
                held = self.bot.grace_period.edit(message.id, lambda: _job(handlers.receive, message, speaker))
                if not held:
                    await self.bot.write_queue.put(_job(handlers.edit, message, speaker))
            case "no_text":
                await self._delete(convert.guild_of(message), [message.id])
            case "not_permitted":
                await self._leave_out("not_permitted", message)

    @commands.Cog.listener()
    @commands.Cog.listener("on_raw_bulk_message_delete")
    async def on_raw_message_delete(
        self, payload: discord.RawMessageDeleteEvent | discord.RawBulkMessageDeleteEvent
    ) -> None:  # fmt: skip
        """Forget deleted messages, one or many."""
        if isinstance(payload, discord.RawBulkMessageDeleteEvent):
            message_ids = list(payload.message_ids)
        else:
            message_ids = [payload.message_id]
        _put_newest(self.deleted, dict.fromkeys(message_ids), most=MOST_DELETED)
        guild_id, channel_id = payload.guild_id, payload.channel_id
        key = convert.guild_key(guild_id) if guild_id else convert.direct_chat_key(channel_id)
        await self._delete(GuildRef(key=key), message_ids)

    async def _delete(self, guild: GuildRef, message_ids: Collection[int]) -> None:
        self.bot.grace_period.drop(message_ids)
        await self.bot.write_queue.put(*(Job(handlers.delete, guild, str(message_id)) for message_id in message_ids))

    # --- Channels ----------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Forget what was said in a deleted thread."""
        await self.delete_channel(GuildRef(key=convert.guild_key(payload.guild_id)), payload.thread_id)

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Forget what was said in a deleted channel and its threads."""
        await self.delete_channel(convert.guild_ref(channel.guild), channel.id)

    async def delete_channel(self, guild: GuildRef, channel_id: int) -> None:
        """Forget what was said in a channel and its threads, also what comes in of it later."""
        self.deleted_channels.add(channel_id)
        self.bot.grace_period.drop_channels(channel_id)
        await self.bot.write_queue.put(Job(handlers.delete_channels, guild, str(channel_id)))

    @commands.Cog.listener("on_guild_channel_update")
    @commands.Cog.listener("on_thread_update")
    async def on_channel_update(self, _before: convert.GuildChannel, after: convert.GuildChannel) -> None:
        """Keep a channel's or thread's name and audience, and so those of its threads, up to date."""
        await self.refresh(after.guild, [after, *getattr(after, "threads", [])])

    @commands.Cog.listener()
    async def on_thread_join(self, thread: discord.Thread) -> None:
        """Look at a thread that is opened again: it may bear another name since."""
        await self.refresh(thread.guild, [thread])

    @commands.Cog.listener()
    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        """Look at every channel again when what everybody may do has changed."""
        if after.is_default() and before.permissions != after.permissions:
            await self.refresh(after.guild, convert.channels_of(after.guild))

    @commands.Cog.listener()
    async def on_shard_ready(self, shard_id: int) -> None:
        """Look at every channel of the shard again: changes went unseen."""
        for guild in self.bot.guilds:
            if guild.shard_id == shard_id:
                await self.refresh(guild, convert.channels_of(guild))

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Look at every channel again after a time in which changes went unseen."""
        await self.refresh(guild, convert.channels_of(guild))

    async def refresh(self, guild: discord.Guild, channels: Iterable[convert.GuildChannel]) -> None:
        """Hand on what channels are called and who reads them."""
        ref = convert.guild_ref(guild)
        jobs = [Job(handlers.refresh, ref, convert.incoming_channel(channel)) for channel in channels]
        await self.bot.write_queue.put(*jobs)


@contextmanager
def _alone(message: discord.Message) -> Iterator[None]:
    """Leave a message out that can't be read, whatever it is: the others can be taken in."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  the bot's error handler
        details = error_text.log_fields(error) | {"message_id": message.id}
        logger.error("a message could not be read, so it is left out", extra=details)


def _put_newest(kept: dict[int, T], new: dict[int, T], *, most: int) -> None:
    """Add what is new; of more than so many the oldest go."""
    kept.update(new)
    while len(kept) > most:
        del kept[next(iter(kept))]


def _job(handler: Handler, message: discord.Message, speaker: Speaker | None = None, *, old: bool = False) -> Job:
    parent = message.channel.parent if isinstance(message.channel, discord.Thread) else None
    incoming = convert.incoming_message(message)
    if old:
        incoming = incoming.model_copy(update={"source": "import"})
    if speaker is not None:
        author = IncomingAuthor(id=speaker.member, name=speaker.name, display_name=speaker.name)
        incoming = incoming.model_copy(update={"author": author})
    event = IncomingEvent(
        incoming,
        parent=convert.incoming_channel(parent) if parent else None,
        needs=filters.needs(message),
        account=speaker.account if speaker else "",
        late=discord.utils.utcnow() - message.created_at > FRESH,
    )
    return Job(handler, convert.guild_of(message), event)
