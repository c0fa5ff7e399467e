"""Server-sent events: all open streams of a process share one look at the outbox a second, and none holds a thread."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from django.db import Error, close_old_connections

from memoryhub.community import outbox
from memoryhub.community.models import Guild
from memoryhub.community.outbox import OutgoingEvent

logger = logging.getLogger(__name__)

LOOK_EVERY = 1.0  # seconds
HEARTBEAT = 15.0  # seconds of silence after which proxies and clients are told that somebody is still there
LENGTH = 300.0  # seconds; then the client comes back by itself, and its key or role is looked at anew
RETRY = 2000  # milliseconds after which a client comes back
MOST = 1000  # streams of a process
AT_ONCE = 500  # events of a look
BEHIND = 2 * AT_ONCE  # events that wait for a client that reads slowly; then its stream ends, and it comes back
FRESH = 2.0  # seconds; of what waited longer for a slow reader it is looked anew whom it names
GAP = "gap"


class TooManyStreams(Exception):
    """The process has no room for another stream."""


class Follower:
    """One open stream: whose events it tells, the last one it was handed, and what waits to be sent."""

    def __init__(self, guild: Guild, after: int) -> None:
        self.guild, self.key, self.reached = guild.pk, guild.key, after
        self.waiting: asyncio.Queue[OutgoingEvent | None] = asyncio.Queue()

    def hand(self, told: OutgoingEvent) -> None:
        """Have an event sent; None ends the stream of somebody who reads too slowly."""
        self.reached = told.id
        self.waiting.put_nowait(told if self.waiting.qsize() < BEHIND else None)


class Streams:
    """The open streams of this process. Only the event loop's thread touches them."""

    def __init__(self) -> None:
        self.followers: set[Follower] = set()
        self._watch: asyncio.Task[None] | None = None
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="events")

    @contextmanager
    def joined(self, guild: Guild, after: int) -> Iterator[Follower]:
        """Be handed a guild's events inside, those after this one."""
        follower = Follower(guild, after)
        self.followers.add(follower)
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._look_on())
        try:
            yield follower
        finally:
            self.followers.discard(follower)

    async def _look_on(self) -> None:
        """Look for new events while anybody follows; a full look is followed by another one at once."""
        loop = asyncio.get_running_loop()
        while self.followers:
            reached: dict[int, int] = {}
            for each in self.followers:
                reached[each.guild] = min(each.reached, reached.get(each.guild, each.reached))
            keys = {each.guild: each.key for each in self.followers}
            found = await loop.run_in_executor(self.thread, _look, reached, keys)
            for follower in tuple(self.followers):
                for told in found:
                    if told.guild == follower.guild and told.id > follower.reached:
                        follower.hand(told)
            if len(found) < AT_ONCE:
                await asyncio.sleep(LOOK_EVERY)


def _look(reached: dict[int, int], keys: dict[int, str]) -> list[OutgoingEvent]:
    """Ask the database once for all; where it is away the streams stay open, and the next look finds what came."""
    close_old_connections()
    try:
        return outbox.after(reached, keys=keys, limit=AT_ONCE)
    except Error as error:
        logger.warning("the streams of events wait for the database", extra={"error": type(error).__name__})
        return []


def _again(told: OutgoingEvent) -> OutgoingEvent | None:
    close_old_connections()
    return outbox.again(told)


streams = Streams()


def begin(guild: Guild, last: int | None) -> tuple[int, bool]:
    """Return after which event a stream begins, and whether events are missing before it.

    Without the id of the last event seen it begins now. An id that is not there any more, or never was, leaves a gap:
    then all that is still kept is told, or nothing where the id lies ahead. Raises TooManyStreams.
    """
    if len(streams.followers) >= MOST:
        raise TooManyStreams
    newest = outbox.newest(guild)
    if last is None:
        return newest, False
    return min(last, newest), not outbox.is_kept(guild, last)


async def follow(guild: Guild, *, after: int, gap: bool) -> AsyncIterator[bytes]:
    """Yield a guild's events in the form of a stream of server-sent events, until its time is over."""
    yield f"retry: {RETRY}\n\n".encode()
    if gap:
        yield _event(GAP, {"type": GAP, "data": {"guild": guild.key}})
    loop = asyncio.get_running_loop()
    ends = loop.time() + LENGTH
    with streams.joined(guild, after) as follower:
        while (left := ends - loop.time()) > 0:
            try:
                told = await asyncio.wait_for(follower.waiting.get(), min(HEARTBEAT, left))
            except TimeoutError:
                yield b": nothing new\n\n"
                continue
            if told is not None and time.monotonic() - told.read_at > FRESH:
                try:
                    told = await loop.run_in_executor(streams.thread, _again, told)
                except Error:
                    return  # without the database nobody knows who is erased; the client comes back for it
                if told is None:
                    continue
            if told is None:
                return
            yield _event(told.payload["type"], told.payload, number=told.id)


def _event(kind: str, payload: dict[str, object], *, number: int | None = None) -> bytes:
    named = "" if number is None else f"id: {number}\n"
    return f"{named}event: {kind}\ndata: {json.dumps(payload)}\n\n".encode()
