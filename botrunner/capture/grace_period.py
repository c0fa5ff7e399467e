"""Holds what was just said for a few seconds: what a proxy takes back, or a typo that is mended, is never stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from botrunner.capture.write_queue import Job, Outbox

AT_ONCE = 20


@dataclass(frozen=True)
class Said:
    """What is to be written once its time has come; the job is made then, and tells of the places as they are then."""

    message_id: int
    places: frozenset[int]
    job: Callable[[], Job]
    due: float = 0.0


class Holding:
    """What waits before the outbox, in the order it was said. A kill loses none of it: it is read again as a gap."""

    def __init__(self, outbox: Outbox, *, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self._outbox = outbox
        self._held: dict[int, Said] = {}
        self._timer: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._held)

    async def put(self, said: Said) -> None:
        """Hold it for its time; without a time, write it now."""
        if not self.seconds:
            await self._outbox.put(said.job())
            return
        self._held.setdefault(said.message_id, replace(said, due=_now() + self.seconds))
        if self._timer is None or self._timer.done():
            self._timer = asyncio.create_task(self._let_go())

    def mend(self, message_id: int, job: Callable[[], Job]) -> bool:
        """Put an edited text in place of one that is still held; False if it is not."""
        if (held := self._held.get(message_id)) is None:
            return False
        self._held[message_id] = replace(held, job=job)
        return True

    def drop(self, message_ids: Collection[int]) -> None:
        """Let deleted messages go, unwritten."""
        for message_id in message_ids:
            self._held.pop(message_id, None)

    def drop_places(self, *places: int) -> None:
        """Let go, unwritten, what was said in deleted channels and their threads."""
        self.drop([held.message_id for held in self._held.values() if held.places.intersection(places)])

    async def flush(self) -> None:
        """Write everything now: the bot is leaving."""
        if self._timer is not None:
            self._timer.cancel()
            await asyncio.wait({self._timer})
        await self._write(list(self._held))

    async def _let_go(self) -> None:
        while self._held:
            first = next(iter(self._held.values()))
            await asyncio.sleep(max(0.0, first.due - _now()))
            now = _now()
            await self._write([message_id for message_id, held in self._held.items() if held.due <= now])

    async def _write(self, message_ids: list[int]) -> None:
        """Hand over a few at a time: hundreds at once would keep the event loop from its work."""
        for begin in range(0, len(message_ids), AT_ONCE):
            due = [self._held.pop(name) for name in message_ids[begin : begin + AT_ONCE] if name in self._held]
            self._outbox.add(*(held.job() for held in due))
            await asyncio.sleep(0)
        await self._outbox.put()


def _now() -> float:
    return asyncio.get_running_loop().time()
