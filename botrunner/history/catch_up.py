"""Reads what was said while the bot was away: the gateway sends nothing of it once the session is lost."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial

import discord
from discord.ext import commands

from botrunner import error_text, threads
from botrunner.bot import Bot
from botrunner.capture import convert
from botrunner.capture.listener import Listener
from botrunner.history import gaps
from botrunner.history.archived_threads import archived_threads
from botrunner.history.estimate import Parent
from botrunner.history.gaps import Skipped
from botrunner.history.page import Readable, read_page
from botrunner.history.unseen_changes import UnseenChanges
from botrunner.models import Heard
from botrunner.write_queue import Handler, Job

logger = logging.getLogger(__name__)

PAUSE = 1  # second after each page: live commands share the same rate limit

NOTED_EACH = timedelta(seconds=30)
LATE = timedelta(minutes=1)
"""Events overtake each other by less, and wait less in the write queue before it is noted how far was heard."""

ARCHIVED_AFTER = timedelta(hours=1)  # without a word: Discord's shortest choice
TRY_LATER = "it is tried again in a while"
AGAIN_FIRST, AGAIN_LAST = 120, 3600  # seconds until what failed is read again: twice as long after each failure


class CatchUp(commands.Cog):
    """Opens gaps when a connection ends, and reads them when one begins.

    Gaps are opened and closed by the write queue, in their turn between what was heard, so they mark the right place,
    also when the database was away.
    """

    def __init__(self, bot: Bot, listener: Listener, unseen: UnseenChanges) -> None:
        self.bot, self._listener, self._unseen = bot, listener, unseen
        self.down: set[int] = set()  # shards without a connection
        self.opened: dict[int, list[int]] = {}  # ids of the gaps that a loss opened, by shard
        self._losses: Counter[int] = Counter()
        self._noted: dict[int, datetime] = {}
        self._newest: dict[int, int] = {}
        self._deaf: set[int] = set()  # shards where texts are withheld
        self._heard_before: list[Heard] = []
        self._out: set[int] = set()  # guilds in an outage: nothing of them can be read
        self._failures: Counter[str] = Counter()  # one after the other, by guild
        self.later: dict[str, asyncio.Task[None]] = {}
        bot.before_exit.append(self.note_all)

    async def cog_load(self) -> None:
        """Note what was heard last, before the first event comes in."""
        self._heard_before = await threads.write(gaps.open_all, self.bot.runs)

    async def cog_unload(self) -> None:
        """Leave what failed to the next start."""
        for task in self.later.values():
            task.cancel()

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Note now and then how far everything was heard; not where texts are withheld: they are read when allowed."""
        shard = message.guild.shard_id if message.guild else gaps.CHATS_SHARD
        if shard in self._deaf or self._listener.is_withheld(message):
            self._deaf.add(shard)
            return
        self._newest[shard] = max(message.id, self._newest.get(shard, 0))
        if message.created_at >= self._noted.get(shard, message.created_at - NOTED_EACH) + NOTED_EACH:
            self._noted[shard] = message.created_at
            sure = message.created_at - LATE - timedelta(seconds=self.bot.grace_period.seconds)
            await self._note_heard({shard: discord.utils.time_snowflake(sure)})

    async def note_all(self) -> None:
        """Note that everything was heard and written."""
        await self._note_heard(self._newest)

    async def _note_heard(self, until: dict[int, int]) -> None:
        """Note how far all was heard, up to before the first message that is still looked at."""
        sure = min(self._listener.looked_at, default=sys.maxsize) - 1
        items = [(shard, self.bot.shard_count or 1, min(message_id, sure)) for shard, message_id in until.items()]
        await self.bot.write_queue.put(*(Job(gaps.note_heard, gaps.CHATS, item) for item in items))

    # --- The connection ----------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_shard_disconnect(self, shard_id: int) -> None:
        """Open gaps at what was heard last; a running read stops, since it can't tell any more what it misses."""
        self.down.add(shard_id)
        self._losses[shard_id] += 1
        await self.put_for_shard(gaps.open_gaps, shard_id, self.opened.setdefault(shard_id, []))
        self._heard_before = await threads.write(gaps.all_heard)

    @commands.Cog.listener()
    async def on_shard_connect(self, shard_id: int) -> None:
        """Know that a session has begun; it is ready a little later."""
        self.down.discard(shard_id)

    @commands.Cog.listener()
    async def on_shard_resumed(self, shard_id: int) -> None:
        """Close the gaps that the loss opened: the gateway has sent all of it. Those that were open before are read."""
        self.down.discard(shard_id)
        await self.put_for_shard(gaps.close_gaps, shard_id, self.opened.pop(shard_id, []))
        await self.on_shard_ready(shard_id)

    @commands.Cog.listener()
    async def on_shard_ready(self, shard_id: int) -> None:
        """Read what was missed, one channel after the other; a late event of a session that is lost means nothing."""
        if shard_id in self.down:
            return
        self.opened.pop(shard_id, None)
        guilds = self._guilds(shard_id)
        self._out -= {guild.id for guild in guilds}
        self._out |= {guild.id for guild in guilds if guild.unavailable}
        for guild in guilds:
            await self._read_guild(guild)
        if shard_id == gaps.CHATS_SHARD:
            holds = partial(self._holds, shard_id, self._losses[shard_id])
            await self._try(gaps.CHATS.key, partial(self._read_chats, holds), holds)

    @commands.Cog.listener()
    @commands.Cog.listener("on_guild_remove")
    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """Open gaps at what was heard last of a guild in an outage, or that may invite the bot again unheard."""
        self._out.add(guild.id)
        await self.bot.write_queue.put(Job(gaps.open_gaps, convert.guild_ref(guild), []))

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Read what was said since the invitation."""
        self._out.discard(guild.id)
        await self._read_guild(guild)

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Read what was missed of a guild whose outage is over, or that came late."""
        if guild.id in self._out:
            self._out.discard(guild.id)
            await self._read_guild(guild)

    async def put_for_shard(self, handler: Handler, shard_id: int, gap_ids: list[int]) -> None:
        """Have gaps opened or closed in all guilds of a shard, in turn with what is written."""
        refs = [convert.guild_ref(guild) for guild in self._guilds(shard_id)]
        refs += [gaps.CHATS] if shard_id == gaps.CHATS_SHARD else []
        await self.bot.write_queue.put(*(Job(handler, ref, gap_ids) for ref in refs))

    def _guilds(self, shard_id: int) -> list[discord.Guild]:
        return [guild for guild in self.bot.guilds if guild.shard_id == shard_id]

    # --- Reading -----------------------------------------------------------------------------------------------------

    async def _read_guild(self, guild: discord.Guild) -> None:
        """Read what was missed in a guild, as long as the connection of now holds."""
        holds = partial(self._holds, guild.shard_id, self._losses[guild.shard_id])
        await self._try(convert.guild_key(guild.id), partial(self._read_channels, guild, holds), holds)

    async def _read_channels(self, guild: discord.Guild, holds: Callable[[], bool]) -> None:
        """Read each channel that may hold something new; one that can't be read now keeps its gap for the next time.

        What Discord tells of a channel's last message proves nothing. What was said before the bot was invited, maybe
        once more, was not said to it.
        """
        if guild.id in self._out:
            return
        key = convert.guild_key(guild.id)
        joined = discord.utils.time_snowflake(guild.me.joined_at) if guild.me.joined_at else 0
        await self._unseen.follow_moved(guild)
        await self.bot.write_queue.drain()
        said = max((getattr(channel, "last_message_id", 0) or 0 for channel in convert.channels_of(guild)), default=0)
        await threads.write(gaps.open_new, convert.guild_ref(guild), joined, said, self._heard_before)
        marks = await threads.write(gaps.gaps_of, key)
        if not marks:
            return
        skipped = await threads.write(gaps.skipped_channels, key)
        archived = await self._archived_threads(guild, skipped, marks.get(gaps.EVERY_OTHER))
        readable = [
            channel for channel in convert.channels_of(guild)
            if isinstance(channel, Readable) and _may_read(channel) and not skipped.has(channel)
        ]  # fmt: skip
        failed = int(archived is None)
        for channel in [*readable, *(archived or ())]:
            after = marks.get(str(channel.id), marks.get(gaps.EVERY_OTHER))
            if after is not None:
                failed += not await self._read_channel(key, channel.id, max(after, joined), holds, channel)
        if failed:
            self._read_again(key, partial(self._read_channels, guild, holds), holds)
        elif holds():
            del self._failures[key]
            await threads.write(gaps.close, [key])

    async def _try(self, key: str, read: Callable[[], Awaitable[None]], holds: Callable[[], bool]) -> None:
        """Read as long as the connection holds; whatever fails, such as the database, is tried again in a while."""
        try:
            if holds():
                await read()
        except Exception as error:  # noqa: BLE001  whatever it is, other guilds can be read, and this one later
            details = error_text.log_fields(error) | {"guild": key}
            logger.warning("what was said meanwhile could not be read; %s", TRY_LATER, extra=details)
            self._read_again(key, read, holds)

    def _read_again(self, key: str, read: Callable[[], Awaitable[None]], holds: Callable[[], bool]) -> None:
        """Read what failed once more in a while; where the connection is lost meanwhile, the next one reads it."""

        async def again(seconds: int) -> None:
            await asyncio.sleep(seconds)
            await self._try(key, read, holds)

        if not holds():
            return
        earlier = self.later.get(key)
        if earlier is not None and earlier is not asyncio.current_task():
            earlier.cancel()
        self.later[key] = asyncio.create_task(again(min(AGAIN_FIRST << self._failures[key], AGAIN_LAST)))
        self._failures[key] = min(self._failures[key] + 1, 10)

    async def _read_chats(self, holds: Callable[[], bool]) -> None:
        """Read each direct chat that is known; Discord tells of no chat that was begun meanwhile."""
        await self.bot.write_queue.drain()
        failed = 0
        for key in await threads.write(gaps.chats_with_gaps):
            marks, skipped = await threads.write(gaps.gaps_of, key), await threads.write(gaps.skipped_channels, key)
            number = key.removeprefix(gaps.CHAT)
            after = marks.get(number)
            read = after is None or skipped.has_id(number) or await self._read_channel(key, int(number), after, holds)
            if read and holds():
                await threads.write(gaps.close, [key])
            failed += not read
        if failed:
            self._read_again(gaps.CHATS.key, partial(self._read_chats, holds), holds)
        else:
            del self._failures[gaps.CHATS.key]

    def _holds(self, shard: int, losses: int) -> bool:
        """Tell whether the connection has held since: whatever was not read is heard."""
        return self._losses[shard] == losses and not self.bot.is_closed()

    async def _archived_threads(
        self, guild: discord.Guild, skipped: Skipped, since: int | None
    ) -> list[discord.Thread] | None:
        """Return the threads that went quiet and were archived meanwhile, which the gateway names no more.

        None if that can't be known now. Unless a person does it, a thread is archived after an hour without a word.
        """
        if since is None or discord.utils.utcnow() - discord.utils.snowflake_time(since) < ARCHIVED_AFTER:
            return []
        archived, lost = list[discord.Thread](), discord.utils.snowflake_time(since)
        parents: list[Parent] = [*guild.text_channels, *guild.forums]
        for channel in parents:
            if not _may_read(channel) or skipped.has(channel):
                continue
            try:
                archived += await archived_threads(channel, private=not skipped.private_threads, since=lost)
            except (discord.Forbidden, discord.NotFound):
                continue
            except Exception as error:  # noqa: BLE001  whatever it is, the channels can be read
                details = error_text.log_fields(error) | {"guild": guild.id}
                logger.warning("the archived threads could not be read; %s", TRY_LATER, extra=details)
                return None
        return archived

    async def _read_channel(
        self, key: str, channel_id: int, after: int, holds: Callable[[], bool], known: Readable | None = None
    ) -> bool:
        """Read a channel to its end, noting after each page how far; False if it is to be tried again.

        A direct chat must be fetched: the gateway names none. One that may not be read is done.
        """
        read = 0
        try:
            channel = known or await self.bot.fetch_channel(channel_id)
            assert isinstance(channel, Readable | discord.DMChannel)
            while holds():
                page, more = await read_page(channel, after)
                await self._listener.hear(*page)
                read += len(page)
                if more is None:
                    break
                after = more
                await threads.write(gaps.advance, key, str(channel_id), after)
                await asyncio.sleep(PAUSE)
            if not holds():
                return False
        except (discord.Forbidden, discord.NotFound):
            pass
        except Exception as error:  # noqa: BLE001  whatever it is, the other channels can be read
            details = error_text.log_fields(error) | {"channel": channel_id}
            logger.warning("what was said meanwhile could not be read; %s", TRY_LATER, extra=details)
            return False
        await threads.write(gaps.close, [key], str(channel_id))
        if read:
            logger.info("read what was said meanwhile", extra={"channel": channel_id, "messages": read})
        return True


def _may_read(channel: Readable | discord.ForumChannel) -> bool:
    return channel.permissions_for(channel.guild.me).read_message_history
