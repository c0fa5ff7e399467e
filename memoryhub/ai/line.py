"""The event loop that model calls run on: one thread per process, a bounded number of calls at once."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")
AT_ONCE = 4  # calls under way per process; providers limit requests per minute well below what threads could send


@dataclass(frozen=True)
class _Line:
    loop: asyncio.AbstractEventLoop
    gate: asyncio.Semaphore


_lines: dict[int, _Line] = {}
_lock = threading.Lock()


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine on the line and wait for it in the calling thread, which must not be the line's own.

    One loop for all callers keeps the SDKs' connections alive between calls, which an event loop per call cannot.
    """
    line = _line()
    waiting = asyncio.run_coroutine_threadsafe(_gated(line.gate, work), line.loop)
    try:
        return waiting.result()
    except BaseException:
        waiting.cancel()
        raise


def _line() -> _Line:
    """Return this process's line. Keyed by process id: a fork inherits the loop but not the thread that turns it."""
    with _lock:
        if os.getpid() not in _lines:
            _lines[os.getpid()] = _started()
        return _lines[os.getpid()]


def _started() -> _Line:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="memoryhub-ai", daemon=True).start()
    return _Line(loop, asyncio.Semaphore(AT_ONCE))


async def _gated(gate: asyncio.Semaphore, work: Coroutine[Any, Any, T]) -> T:
    async with gate:
        return await work
