"""Writes what the bot heard, in the order it was heard, many at a time, without ever losing its place."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter
from typing import Any

import discord
from django.db import InterfaceError, OperationalError

from botrunner import error_text, threads
from memoryhub.db.trouble import is_told
from notes.messages.schemas import GuildRef

logger = logging.getLogger(__name__)

MOST = 200  # jobs a transaction
LONGEST_WAIT = 30  # seconds between tries while the database is away
TEMPORARY = (OperationalError, InterfaceError)
"""Locked, full or away: the same write works later."""

Handler = Callable[..., None]


@dataclass(frozen=True)
class Job:
    """One item to write, and the handler that writes it: handlers take many items of one guild at once."""

    handler: Handler
    guild: GuildRef
    item: Any


class WriteQueue:
    """Jobs that wait to be written. Whoever puts one in first writes; what comes meanwhile goes with the next batch.

    No task of its own waits for work, so nothing is left behind when the loop ends: `drain` returns when all is done.
    """

    def __init__(self, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self.waiting: deque[Job] = deque()
        self._pause = pause
        self._writing = asyncio.Lock()

    def add(self, *jobs: Job) -> None:
        """Add jobs that somebody will write: whoever does now, or puts next."""
        self.waiting.extend(jobs)

    async def put(self, *jobs: Job) -> None:
        """Add jobs; returns at once if somebody else is writing."""
        self.add(*jobs)
        if not self._writing.locked():
            await self.drain()

    async def drain(self) -> None:
        """Write until nothing waits."""
        async with self._writing:
            while self.waiting:
                _, alike = next(groupby(self.waiting, key=attrgetter("handler", "guild.key")))
                batch = list(islice(alike, MOST))
                await self._write(batch)
                for _ in batch:
                    self.waiting.popleft()

    async def _write(self, batch: list[Job]) -> None:
        """Write the batch; if it can't be, each of its jobs alone, so that one bad job costs only itself.

        For as long as the database is away it is tried again: what was heard is kept meanwhile.
        """
        items, wait = [job.item for job in batch], 1
        try:
            while True:
                try:
                    return await threads.write(batch[0].handler, batch[0].guild, items, now=discord.utils.utcnow())
                except TEMPORARY as error:
                    if not is_told(error):
                        counts = {"waiting": len(self.waiting), "seconds": wait}
                        logger.warning("what is heard waits for the database", extra=counts, exc_info=error)
                await self._pause(wait)
                wait = min(wait * 2, LONGEST_WAIT)
        except Exception as error:  # noqa: BLE001  the bot's error handler
            if len(batch) > 1:
                for job in batch:
                    await self._write([job])
                return None
            details = {"handler": batch[0].handler.__name__, "guild": batch[0].guild.key}
            logger.error("what was heard could not be written", extra=error_text.log_fields(error) | details)
