"""The one way from the event loop to the database: plain calls run in a few threads of their own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import close_old_connections

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 2
"""One writes what is heard, in the order of the write queue; the other answers commands meanwhile."""

THINKING = 4
"""Answers that wait for a model at a time: they must keep neither new messages nor commands waiting."""

_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="bot-database")
_thinkers = ThreadPoolExecutor(THINKING, thread_name_prefix="bot-thinking")


async def run(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that uses the database, off the event loop, and return what it returns."""
    return await _run_in(_pool, function, *args, **kwargs)


async def think(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that may wait for a model, off the event loop, and return what it returns."""
    return await _run_in(_thinkers, function, *args, **kwargs)


async def _run_in(pool: ThreadPoolExecutor, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    def call() -> T:
        close_old_connections()  # Django does this around requests; a thread of a bot has none
        return function(*args, **kwargs)

    return await sync_to_async(call, thread_sensitive=False, executor=pool)()
