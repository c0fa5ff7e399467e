"""The event loop that calls to providers run on: one thread per process, a few calls at once, with retries."""

from __future__ import annotations

import asyncio
import os
import random
import threading
from asyncio import sleep
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from memoryhub.ai.model_errors import ModelFailed

T = TypeVar("T")
AT_ONCE = 4  # calls under way per process; a free account's requests per minute are soon spent
PAUSES = (1.0, 4.0)  # seconds before the second and the third request, at most doubled by chance
LONGEST_PAUSE = 20.0  # a provider that asks for more is left to the pipeline's own schedule


# By process id: a fork inherits the loop but not the thread that runs it.
_loops: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Semaphore]] = {}
_lock = threading.Lock()


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine on this process's loop and wait for it in the calling thread, which must not be the loop's own.

    One loop for all callers keeps the SDKs' connections alive between calls, which an event loop per call cannot.
    """
    with _lock:
        if os.getpid() not in _loops:
            fresh = asyncio.new_event_loop()
            threading.Thread(target=fresh.run_forever, name="memoryhub-ai", daemon=True).start()
            _loops[os.getpid()] = fresh, asyncio.Semaphore(AT_ONCE)
        loop, gate = _loops[os.getpid()]

    async def gated() -> T:
        async with gate:
            return await work

    waiting = asyncio.run_coroutine_threadsafe(gated(), loop)
    try:
        return waiting.result()
    except BaseException:
        waiting.cancel()
        raise


async def with_retries(once: Callable[[], Awaitable[T]]) -> T:
    """Try again after failures that pass, unless the provider asks for more patience than we have."""
    for pause in PAUSES:
        try:
            return await once()
        except ModelFailed as failure:
            wait = pause * (1 + random.random()) if failure.retry_after is None else failure.retry_after  # noqa: S311
            if not failure.again or wait > LONGEST_PAUSE:
                raise
        await sleep(wait)
    return await once()
