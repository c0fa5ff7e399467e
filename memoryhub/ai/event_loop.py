"""The event loop that calls to providers run on: one thread per process, a few calls at once, with retries."""

from __future__ import annotations

import asyncio
import os
import random
import threading
import time
from asyncio import sleep
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from typing import TypeVar

from memoryhub.ai.model_errors import KINDS, ModelFailed
from memoryhub.server import turns

T = TypeVar("T")
AT_ONCE = 4  # calls under way per process; a free account's requests per minute are soon spent
PAUSES = (1.0, 4.0)  # seconds before the second and the third request, at most doubled by chance
LONGEST_PAUSE = 20.0  # a provider that asks for more is left to the pipeline's own schedule

_until: ContextVar[float] = ContextVar("until", default=inf)  # the loop's tasks inherit it

# By process id: a fork inherits the loop but not the thread that runs it.
_loops: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Semaphore]] = {}
_lock = threading.Lock()


def start(work: Callable[[], Awaitable[T]]) -> Future[T]:
    """Start the work on this process's loop, where a few run at once.

    One loop for all callers keeps the SDKs' connections alive between calls, which an event loop per call cannot.
    A function, and no coroutine: one that is given up before its turn would never be awaited.
    """
    with _lock:
        if os.getpid() not in _loops:
            fresh = asyncio.new_event_loop()
            threading.Thread(target=fresh.run_forever, name="memoryhub-ai", daemon=True).start()
            _loops[os.getpid()] = fresh, asyncio.Semaphore(AT_ONCE)
        loop, gate = _loops[os.getpid()]

    async def gated() -> T:
        async with gate:
            return await work()

    return asyncio.run_coroutine_threadsafe(gated(), loop)


def run(work: Callable[[], Awaitable[T]], *, model: str = "") -> T:
    """Run the work and wait for it in the calling thread, which must not be the loop's own. Raises ModelFailed."""
    waiting = start(work)
    try:
        with turns.given_up():
            return waiting.result(None if _until.get() == inf else max(0.0, _until.get() - time.monotonic()))
    except TimeoutError:
        raise ModelFailed("timed_out", f"{model}: {KINDS['timed_out'].message}") from None
    finally:
        waiting.cancel()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Give up what is asked in this block after so many seconds in all: waiting for a turn, tries and pauses too."""
    token = _until.set(min(_until.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _until.reset(token)


def somebody_waits() -> bool:
    """Say whether what is asked now has a deadline."""
    return _until.get() < inf


async def with_retries(once: Callable[[], Awaitable[T]]) -> T:
    """Try again after failures that pass, while the provider asks for no more patience than there is."""
    for pause in PAUSES:
        try:
            return await once()
        except ModelFailed as failure:
            wait = pause * (1 + random.random()) if failure.retry_after is None else failure.retry_after  # noqa: S311
            if not failure.again or wait > LONGEST_PAUSE or time.monotonic() + wait >= _until.get():
                raise
        await sleep(wait)
    return await once()
