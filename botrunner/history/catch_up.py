"""Reads what was said while the bot was away: the gateway tells nothing of it once the session is lost."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import discord
from discord.ext import commands

from botrunner import error_text, threads
from botrunner.capture import convert
from botrunner.capture.listener import Listener
from botrunner.capture.write_queue import Errand, Job
from botrunner.history import gaps
from botrunner.history.gaps import Passed

if TYPE_CHECKING:
    from botrunner.connection.bot import Bot

logger = logging.getLogger(__name__)

PAGE = 100  # messages; the most that Discord gives at once
PAUSE = 1  # second after each page: live commands share the same rate limit

NOTED_EACH = timedelta(seconds=30)
LATE = timedelta(minutes=1)
"""Events overtake each other by less, and wait less in the outbox before the note of how far was heard is written."""

ARCHIVED_AFTER = timedelta(hours=1)  # without a word: Discord's shortest choice

Readable = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread


@dataclass(frozen=True)
class Missed:
    """A channel that has something new since a message, of a guild or chat; `losses` of its shard's connection."""

    key: str
    channel_id: int
    after: int
    shard: int
    losses: int


class CatchingUp(commands.Cog):
    """Opens the book of gaps when a connection ends, and works it off when one begins.

    The book is written in its turn between what was heard (by the outbox), so it marks the right place, and also when
    the database was away.
    """

    def __init__(self, bot: Bot, listener: Listener) -> None:
        self.bot, self._listener = bot, listener
        self._down: set[int] = set()
        self._losses: Counter[int] = Counter()
        self._opened: dict[int, list[int]] = {}
        self._noted: dict[int, datetime] = {}
        self._newest: dict[int, int] = {}
        self._deaf: set[int] = set()
        self._out: set[int] = set()  # guilds in an outage: nothing of them can be read

    async def cog_load(self) -> None:
        """Note what was heard last, before the first event comes in."""
        await threads.run(gaps.open_all, self.bot.runs)

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Note now and then how far everything was heard; not where texts are withheld: they are read when allowed."""
        shard = message.guild.shard_id if message.guild else gaps.CHATS_SHARD
        if shard in self._deaf or self._listener.withheld(message):
            self._deaf.add(shard)
            return
        self._newest[shard] = max(message.id, self._newest.get(shard, 0))
        if message.created_at >= self._noted.get(shard, message.created_at - NOTED_EACH) + NOTED_EACH:
            self._noted[shard] = message.created_at
            sure = message.created_at - LATE - timedelta(seconds=self.bot.holding.seconds)
            await self.bot.outbox.put(self._heard(shard, discord.utils.time_snowflake(sure)))

    async def note_all(self) -> None:
        """Note that everything was heard and written; not while a message is still looked at."""
        if not self._listener.busy:
            await self.bot.outbox.put(*(self._heard(shard, newest) for shard, newest in self._newest.items()))

    def _heard(self, shard: int, until: int) -> Job:
        return Job(gaps.hear_in_turn, gaps.CHATS, (shard, self.bot.shard_count or 1, until))

    @commands.Cog.listener()
    async def on_shard_disconnect(self, shard_id: int) -> None:
        """Note what was heard last; who is still reading stops, since it can't tell any more what it misses."""
        self._down.add(shard_id)
        self._losses[shard_id] += 1
        opened = self._opened.setdefault(shard_id, [])
        await self._in_turn(gaps.open_in_turn, shard_id, opened)

    @commands.Cog.listener()
    async def on_shard_connect(self, shard_id: int) -> None:
        """Know that a session has begun; it is ready a little later."""
        self._down.discard(shard_id)

    @commands.Cog.listener()
    async def on_shard_resumed(self, shard_id: int) -> None:
        """Strike out what the loss opened: the gateway has told all of it. What was open before is read now."""
        self._down.discard(shard_id)
        await self._in_turn(gaps.strike_in_turn, shard_id, self._opened.pop(shard_id, []))
        await self.on_shard_ready(shard_id)

    @commands.Cog.listener()
    async def on_shard_ready(self, shard_id: int) -> None:
        """Read what was missed, one channel after the other; a late word of a session that is lost means nothing."""
        if shard_id in self._down:
            return
        self._opened.pop(shard_id, None)
        guilds = self._guilds(shard_id)
        self._out |= {guild.id for guild in guilds if guild.unavailable}
        for guild in guilds:
            await self.fill(guild)
        if shard_id == gaps.CHATS_SHARD:
            await self._fill_chats()

    @commands.Cog.listener()
    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """Note what was heard last of a guild in an outage; it was not left."""
        self._out.add(guild.id)
        await self.bot.outbox.put(Job(gaps.open_in_turn, convert.guild_ref(guild), []))

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Read what was missed of a guild whose outage is over, or that came late."""
        if guild.id in self._out:
            self._out.discard(guild.id)
            await self.fill(guild)

    def _guilds(self, shard_id: int) -> list[discord.Guild]:
        return [guild for guild in self.bot.guilds if guild.shard_id == shard_id]

    async def _in_turn(self, errand: Errand, shard_id: int, entries: list[int]) -> None:
        refs = [convert.guild_ref(guild) for guild in self._guilds(shard_id)]
        refs += [gaps.CHATS] if shard_id == gaps.CHATS_SHARD else []
        await self.bot.outbox.put(*(Job(errand, ref, entries) for ref in refs))

    async def fill(self, guild: discord.Guild) -> None:
        """Read each channel that has something new; one that can't be read now keeps its entry for the next time."""
        key, shard, losses = convert.guild_key(guild.id), guild.shard_id, self._losses[guild.shard_id]
        await self.bot.outbox.drain()
        marks = await threads.run(gaps.of, key)
        if not marks or guild.id in self._out:
            return
        passed = await threads.run(gaps.passed_over, key)
        archived = await self._archived(guild, passed, marks.get(gaps.EVERY_OTHER))
        failed = int(archived is None)
        for channel in [*self._readable(guild, passed), *(archived or ())]:
            after = marks.get(str(channel.id), marks.get(gaps.EVERY_OTHER))
            if after is not None and (channel.last_message_id or 0) > after:
                failed += not await self._read(Missed(key, channel.id, after, shard, losses), channel)
        if not failed and self._holds(shard, losses):
            await threads.run(gaps.close, [key])

    async def _fill_chats(self) -> None:
        """Read each direct chat that is known; Discord tells of no chat that was begun meanwhile."""
        losses = self._losses[gaps.CHATS_SHARD]
        await self.bot.outbox.drain()
        for key in await threads.run(gaps.chats):
            marks, passed = await threads.run(gaps.of, key), await threads.run(gaps.passed_over, key)
            number = key.removeprefix(gaps.CHAT)
            after = marks.get(number)
            missed = Missed(key, int(number), after or 0, gaps.CHATS_SHARD, losses)
            read = after is None or _is_off(number, passed) or await self._read(missed)
            if read and self._holds(gaps.CHATS_SHARD, losses):
                await threads.run(gaps.close, [key])

    def _holds(self, shard: int, losses: int) -> bool:
        """Tell whether the connection has held since: whatever was not read is heard."""
        return self._losses[shard] == losses and not self.bot.is_closed()

    def _readable(self, guild: discord.Guild, passed: Passed) -> list[Readable]:
        """Return the channels that the bot may read and whose messages are kept at all."""
        places: list[Readable] = [*guild.text_channels, *guild.voice_channels, *guild.stage_channels, *guild.threads]
        return [
            place
            for place in places
            if place.permissions_for(guild.me).read_message_history and not _is_passed(place, passed)
        ]

    async def _archived(self, guild: discord.Guild, passed: Passed, since: int | None) -> list[discord.Thread] | None:
        """Return the threads that went quiet and were archived meanwhile, which the gateway names no more.

        None if that can't be known now. Unless a person does it, a thread is archived after an hour without a word.
        """
        if since is None or discord.utils.utcnow() - discord.utils.snowflake_time(since) < ARCHIVED_AFTER:
            return []
        parents: list[discord.TextChannel | discord.ForumChannel] = [*guild.text_channels, *guild.forums]
        mine = [place for place in parents if place.permissions_for(guild.me).read_message_history]
        try:
            return [
                thread
                for place in mine
                if not _is_passed(place, passed)
                for thread in await _archived_in(place, since=discord.utils.snowflake_time(since))
            ]
        except (discord.HTTPException, OSError) as error:
            told = error_text.told(error) | {"guild": guild.id}
            logger.warning("the archived threads could not be read; it is tried again at the next start", extra=told)
        return None

    async def _read(self, missed: Missed, known: Readable | None = None) -> bool:
        """Read a channel to its end, noting after each page how far; False if it is to be tried again."""
        after, read = missed.after, 0
        try:
            channel = known or await self._chat(missed.channel_id)
            while self._holds(missed.shard, missed.losses):
                page = [m async for m in channel.history(limit=PAGE, after=discord.Object(after), oldest_first=True)]
                await self._listener.hear(*page)
                read += len(page)
                if len(page) < PAGE:
                    return self._holds(missed.shard, missed.losses) and await self._done(missed, read)
                after = page[-1].id
                await threads.run(gaps.move, missed.key, str(missed.channel_id), after)
                await asyncio.sleep(PAUSE)
        except (discord.Forbidden, discord.NotFound):
            return await self._done(missed, read)
        except (discord.HTTPException, OSError) as error:
            told = error_text.told(error) | {"channel": missed.channel_id}
            logger.warning("what was said meanwhile could not be read; it is tried again at the next start", extra=told)
        return False

    async def _chat(self, channel_id: int) -> discord.DMChannel:
        """Ask for a direct chat: the gateway names none. Raises NotFound or Forbidden."""
        channel = await self.bot.fetch_channel(channel_id)
        assert isinstance(channel, discord.DMChannel)
        return channel

    async def _done(self, missed: Missed, read: int) -> bool:
        await threads.run(gaps.close, [missed.key], str(missed.channel_id))
        logger.info("read what was said meanwhile", extra={"channel": missed.channel_id, "messages": read})
        return True


async def _archived_in(place: discord.TextChannel | discord.ForumChannel, *, since: datetime) -> list[discord.Thread]:
    """Return the channel's public threads that were archived since, the newest first; none where none may be read."""
    found = []
    try:
        async for thread in place.archived_threads(limit=None):
            if thread.archive_timestamp < since:
                break
            found.append(thread)
    except (discord.Forbidden, discord.NotFound):
        return []
    return found


def _is_off(channel_id: str, passed: Passed) -> bool:
    return passed.everything or channel_id in passed.channels


def _is_passed(place: Readable | discord.ForumChannel, passed: Passed) -> bool:
    names, private = {str(place.id)}, False
    if isinstance(place, discord.Thread):
        if place.parent is None:
            return True
        names.add(str(place.parent_id))
        private = place.is_private()
    nsfw = passed.nsfw and place.is_nsfw()
    return passed.everything or nsfw or (private and passed.private_threads) or not passed.channels.isdisjoint(names)
