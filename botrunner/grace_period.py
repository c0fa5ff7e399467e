"""Holds new messages for a few seconds: what a proxy deletes again, or a typo that is fixed, is never stored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from botrunner import error_text
from botrunner.write_queue import Job, WriteQueue

logger = logging.getLogger(__name__)

AT_ONCE = 20


@dataclass(frozen=True)
class HeldMessage:
    """A message to write once it is due. Its job is made then, and tells of its channels as they are then."""

    message_id: int
    channels: frozenset[int]
    job: Callable[[], Job]
    due: float = 0.0


class GracePeriod:
    """The messages before the write queue, in the order they were said. After a kill they are read again as a gap."""

    def __init__(self, queue: WriteQueue, *, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self._queue = queue
        self._held: dict[int, HeldMessage] = {}
        self._timer: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._held)

    async def put(self, message: HeldMessage) -> None:
        """Hold a message for its time; with a grace period of 0, write it now."""
        if not self.seconds:
            await self._queue.put(message.job())
            return
        due = asyncio.get_running_loop().time() + self.seconds
        self._held.setdefault(message.message_id, replace(message, due=due))
        if self._timer is None or self._timer.done():
            self._timer = asyncio.create_task(self._write_when_due())

    def edit(self, message_id: int, job: Callable[[], Job]) -> bool:
        """Put an edited text in place of one that is still held; False if it is not."""
        if (held := self._held.get(message_id)) is None:
            return False
        self._held[message_id] = replace(held, job=job)
        return True

    def drop(self, message_ids: Collection[int]) -> None:
        """Drop deleted messages unwritten."""
        for message_id in message_ids:
            self._held.pop(message_id, None)

    def drop_channels(self, *channels: int) -> None:
        """Drop unwritten what was said in deleted channels and their threads."""
        self.drop([held.message_id for held in self._held.values() if held.channels.intersection(channels)])

    async def write_now(self, message_id: int) -> None:
        """Write a message that is still held; returns when it is written, and all that was heard before it."""
        await self._write([message_id])
        await self._queue.drain()

    async def flush(self) -> None:
        """Write everything now: the bot is leaving."""
        if self._timer is not None:
            self._timer.cancel()
            await asyncio.wait({self._timer})
        await self._write(list(self._held))

    async def _write_when_due(self) -> None:
        clock = asyncio.get_running_loop().time
        while self._held:
            first = next(iter(self._held.values()))
            await asyncio.sleep(max(0.0, first.due - clock()))
            now = clock()
            await self._write([message_id for message_id, held in self._held.items() if held.due <= now])

    async def _write(self, message_ids: list[int]) -> None:
        """Hand over a few at a time: hundreds at once would keep the event loop from its work."""
        for begin in range(0, len(message_ids), AT_ONCE):
            for held in [self._held.pop(name) for name in message_ids[begin : begin + AT_ONCE] if name in self._held]:
                try:
                    self._queue.add(held.job())
                except Exception as error:  # noqa: BLE001  whatever it is, the others can be written
                    details = error_text.log_fields(error) | {"message_id": held.message_id}
                    logger.error("a message could not be read, so it is left out", extra=details)
            await asyncio.sleep(0)
        await self._queue.put()
