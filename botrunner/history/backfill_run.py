"""Reads a channel's older history when a manager asks for it: a page a second, with an end in sight, resumable."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from typing import TYPE_CHECKING

import discord
from discord.ext import commands

from botrunner import error_text
from botrunner import threads as bridge
from botrunner.actions.escape import plain
from botrunner.actions.texts_moderators import A_CHANNEL
from botrunner.capture import convert
from botrunner.history import backfill_rows
from botrunner.history.backfill_rows import Reading
from botrunner.history.catch_up import PAGE
from botrunner.history.estimate import Estimate, Historic, Parent, estimate
from botrunner.models import Backfill

if TYPE_CHECKING:
    from botrunner.capture.listener import Listener
    from botrunner.connection.bot import Bot

logger = logging.getLogger(__name__)

PAUSE = 1.0  # second after each page: what is said now and commands share the same rate limit


class Backfilling(commands.Cog):
    """One channel at a time, the one that was asked for first; what a kill interrupts goes on at the next start."""

    def __init__(self, bot: Bot, listener: Listener) -> None:
        self.bot, self._listener = bot, listener
        self.work: asyncio.Task[None] | None = None

    # --- What a manager asks for -------------------------------------------------------------------------------------

    async def estimate(self, channel: Historic) -> Estimate:
        """Return how much there is to read, by a few looks at the history; raises Forbidden."""
        return await estimate(channel)

    async def begin(self, channel: Historic, *, expected: int, actor: str) -> str:
        """Have the channel's history read, on from where it was left; return what to tell who asked."""
        guild, now = convert.guild_ref(channel.guild), discord.utils.utcnow()
        wanted = Reading(str(channel.id), until=discord.utils.time_snowflake(now, high=True), expected=expected)
        told = await bridge.run(backfill_rows.begin, guild, wanted, actor=actor, now=now)
        self.go_on()
        return told

    async def cancel(self, channel: Historic, *, actor: str) -> str:
        """Stop reading the channel and its threads; what was read stays. Return what to tell who asked."""
        guild, now = convert.guild_ref(channel.guild), discord.utils.utcnow()
        return await bridge.run(backfill_rows.cancel, guild, str(channel.id), actor=actor, now=now)

    async def progress(self, guild: discord.Guild, *, readable: Collection[str]) -> list[str]:
        """Return a line for each channel that was asked for, of those that are readable, the newest first."""
        lines = await bridge.run(backfill_rows.progress, convert.guild_ref(guild), readable=readable)
        return [f"{_name(guild, channel_id)}: {told}" for channel_id, told in lines]

    # --- Reading -----------------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_shard_ready(self, _shard_id: int) -> None:
        """Go on with what was interrupted."""
        self.go_on()

    async def cog_unload(self) -> None:
        """Stop after the page in hand; the book knows how far it came."""
        if self.work is not None:
            self.work.cancel()

    def go_on(self) -> None:
        """See to it that somebody reads."""
        if self.work is None or self.work.done():
            self.work = asyncio.create_task(self._read_all())

    async def _read_all(self) -> None:
        passed_over: set[int] = set()
        while not self.bot.is_closed():
            reading = await bridge.run(backfill_rows.following, self._is_here, passed_over)
            if reading is None:
                return
            try:
                await self._read(reading)
            except (discord.HTTPException, OSError) as error:
                passed_over.add(reading.pk)
                told = error_text.told(error) | {"channel": reading.channel_id}
                logger.warning("a channel's history could not be read; it goes on at the next start", extra=told)

    def _is_here(self, guild_id: int) -> bool:
        return self.bot.get_guild(guild_id) is not None

    async def _read(self, reading: Reading) -> None:
        """Read one channel on to its end; one that the bot may not read is given up."""
        try:
            if await self._read_on(await self._find(reading), reading):
                await self._end(reading, Backfill.Status.DONE)
        except (discord.Forbidden, discord.NotFound):
            await self._end(reading, Backfill.Status.REFUSED)

    async def _read_on(self, channel: Historic, reading: Reading) -> bool:
        """Read page by page, noting after each how far; False if it was cancelled meanwhile."""
        if isinstance(channel, Parent) and not reading.read:
            await self._add_threads(channel, reading)
        if isinstance(channel, discord.ForumChannel):
            return True
        after = reading.after
        while after < reading.until:
            history = channel.history(limit=PAGE, after=discord.Object(after), oldest_first=True)
            page = [message async for message in history if message.id <= reading.until]
            await self._listener.hear(*page, old=True)
            after = page[-1].id if len(page) == PAGE else reading.until
            if not await bridge.run(backfill_rows.move, reading, after=after, read=len(page)):
                return False
            await asyncio.sleep(PAUSE)
        return True

    async def _find(self, reading: Reading) -> Historic:
        """Return the channel; an archived thread is known only when it is asked for. Raises NotFound, Forbidden."""
        known = self.bot.get_channel(int(reading.channel_id))
        found = known or await self.bot.fetch_channel(int(reading.channel_id))
        assert isinstance(found, Historic)
        return found

    async def _add_threads(self, channel: Parent, reading: Reading) -> None:
        """Have the channel's threads read after it, those that are archived too."""
        archived = [thread async for thread in channel.archived_threads(limit=None)]
        threads = {thread.id: thread for thread in [*channel.threads, *archived]}
        found = [
            Reading(str(thread.id), until=reading.until, expected=thread.message_count, under=reading.channel_id)
            for thread in threads.values()
        ]
        await bridge.run(backfill_rows.add_threads, reading, found, now=discord.utils.utcnow())

    async def _end(self, reading: Reading, status: Backfill.Status) -> None:
        await bridge.run(backfill_rows.end, reading, status=status, now=discord.utils.utcnow())
        logger.info("a channel's history was read", extra={"channel": reading.channel_id, "ended": status.value})


def _name(guild: discord.Guild, channel_id: str) -> str:
    found = guild.get_channel_or_thread(int(channel_id))
    return f"#{plain(found.name, A_CHANNEL)}" if found else "a closed thread"
