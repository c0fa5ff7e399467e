"""Reads a channel's older history when a manager asks for it: a page a second, with an end in sight, resumable."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection

import discord
from discord.ext import commands

from botrunner import error_text, threads
from botrunner.actions.escape import plain
from botrunner.actions.texts_moderators import A_CHANNEL
from botrunner.bot import Bot
from botrunner.capture import convert
from botrunner.capture.listener import Listener
from botrunner.history import backfill_rows, gaps
from botrunner.history.archived_threads import archived_threads
from botrunner.history.estimate import Historic, Parent
from botrunner.history.page import read_page
from botrunner.models import Backfill

logger = logging.getLogger(__name__)

PAUSE = 1.0  # second after each page: what is said now and commands share the same rate limit
AGAIN_FIRST, AGAIN_LAST = 300, 3600  # seconds until what failed goes on: twice as long after each failure


class BackfillReader(commands.Cog):
    """Reads one channel at a time, in the order they were asked for; a kill interrupts it until the next start."""

    def __init__(self, bot: Bot, listener: Listener) -> None:
        self.bot, self._listener = bot, listener
        self.work: asyncio.Task[None] | None = None
        self._looks_again = False
        self.later: asyncio.Task[None] | None = None
        self._away = 0  # how often the database was, one time after the other

    # --- What a manager asks for -------------------------------------------------------------------------------------

    async def begin(self, channel: Historic, *, expected: int, actor: str) -> str:
        """Have the channel's history read, on from where it was left; return the answer."""
        guild, now = convert.guild_ref(channel.guild), discord.utils.utcnow()
        answer = await threads.run(
            backfill_rows.begin, guild, str(channel.id), until=discord.utils.time_snowflake(now, high=True),
            expected=expected, actor=actor, now=now,
        )  # fmt: skip
        self.keep_going()
        return answer

    async def cancel(self, channel: Historic, *, actor: str) -> str:
        """Stop reading the channel and its threads; what was read stays. Return the answer."""
        guild, now = convert.guild_ref(channel.guild), discord.utils.utcnow()
        return await threads.run(backfill_rows.cancel, guild, str(channel.id), actor=actor, now=now)

    async def progress(self, guild: discord.Guild, *, readable: Collection[str]) -> list[str]:
        """Return a line for each channel that was asked for, of those that are readable, the newest first."""
        lines = []
        for channel_id, text in await threads.run(backfill_rows.progress, convert.guild_ref(guild), readable=readable):
            channel = guild.get_channel_or_thread(int(channel_id))
            name = f"#{plain(channel.name, A_CHANNEL)}" if channel else "a closed thread"
            lines.append(f"{name}: {text}")
        return lines

    # --- Reading -----------------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    @commands.Cog.listener("on_shard_resumed")
    async def on_shard_ready(self, _shard_id: int) -> None:
        """Go on with what was interrupted."""
        self.keep_going()

    async def cog_unload(self) -> None:
        """Stop after the page in hand; the rows say how far it came."""
        for task in (self.work, self.later):
            if task is not None:
                task.cancel()

    def keep_going(self) -> None:
        """Start reading; where it is running, it looks once more before it ends."""
        self._looks_again = True
        if self.work is None or self.work.done():
            self.work = asyncio.create_task(self._read_all())

    async def _go_on_later(self, seconds: int) -> None:
        """Go on with what failed: Discord may answer again."""
        await asyncio.sleep(seconds)
        self.keep_going()

    async def _read_all(self) -> None:
        """Read what was asked for; what failed, be it for the database, goes on in a while."""
        failed: dict[int, int] = {}
        try:
            await self._read_each(failed)
        except Exception as error:  # noqa: BLE001  nobody awaits this: what it is, is told here or nowhere
            self._away += 1
            failed[0] = self._away
            details = error_text.log_fields(error) | {"retry_in": _pause(self._away)}
            logger.warning("channels' histories could not be looked up; it goes on in a while", extra=details)
        else:
            self._away = 0
        if failed and (self.later is None or self.later.done()):
            self.later = asyncio.create_task(self._go_on_later(min(map(_pause, failed.values()))))

    async def _read_each(self, failed: dict[int, int]) -> None:
        """Read one channel after the other to its end; one that the bot may not read is given up.

        `failed` is told, by row, how often what could not be read failed.
        """
        while not self.bot.is_closed():
            self._looks_again = False
            backfill = await threads.write(
                backfill_rows.next_backfill, lambda guild_id: self.bot.get_guild(guild_id) is not None, failed
            )
            if backfill is None:
                if self._looks_again:
                    continue  # somebody asked while nothing was found yet
                return
            details: dict[str, object] = {"channel": backfill.channel_id}
            try:
                finished, status = await self._read(backfill), Backfill.Status.DONE
            except (discord.Forbidden, discord.NotFound):
                finished, status = True, Backfill.Status.REFUSED
            except Exception as error:  # noqa: BLE001  whatever it is, the other channels can be read
                times = failed[backfill.pk] = await threads.write(backfill_rows.fail, backfill)
                details |= error_text.log_fields(error) | {"failures": times, "retry_in": _pause(times)}
                logger.warning("a channel's history could not be read; it goes on in a while", extra=details)
                continue
            if finished:
                await threads.write(backfill_rows.finish, backfill, status=status, now=discord.utils.utcnow())
                logger.info("a channel's history was read", extra=details | {"ended": status.value})

    async def _read(self, backfill: Backfill) -> bool:
        """Read page by page, noting after each how far; False if it was cancelled meanwhile.

        An archived thread is known only when it is fetched. Raises NotFound, Forbidden.
        """
        number, after, until = int(backfill.channel_id), backfill.after, backfill.until
        channel = self.bot.get_channel(number) or await self.bot.fetch_channel(number)
        assert isinstance(channel, Historic)
        if isinstance(channel, Parent) and not backfill.read:
            skipped = await threads.run(gaps.skipped_channels, convert.guild_key(channel.guild.id))
            archived = await archived_threads(channel, private=not skipped.private_threads)
            lengths = {thread.id: thread.message_count for thread in [*channel.threads, *archived]}
            await threads.write(backfill_rows.add_threads, backfill, lengths, now=discord.utils.utcnow())
        if isinstance(channel, discord.ForumChannel):
            return True
        while after < until:
            page, more = await read_page(channel, after)
            wanted = [message for message in page if message.id <= until]
            await self._listener.hear(*wanted, old=True)
            after = min(more or until, until)
            if not await threads.write(backfill_rows.advance, backfill, after=after, read=len(wanted)):
                return False
            await asyncio.sleep(PAUSE)
        return True


def _pause(failures: int) -> int:
    """Return the seconds until something is tried again that failed so often."""
    return min(AGAIN_FIRST << min(failures - 1, 10), AGAIN_LAST)
