"""The one way from the event loop to the database: plain calls run in a few threads of their own."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import close_old_connections

from memoryhub import db
from memoryhub.community.identity import BY_KEY
from memoryhub.community.models import Guild
from memoryhub.db.guild_scope import inside
from notes.messages.schemas import GuildRef

P = ParamSpec("P")
T = TypeVar("T")

PATIENCE, SHORTEST = 4.0, 0.5
"""Seconds that somebody who waits for an answer waits for another writer; then they are told that memory is busy."""
LONGEST = 20.0  # seconds that what was heard waits; then it is tried again

_writer = ThreadPoolExecutor(1, thread_name_prefix="bot-writing")  # what is heard, in the order of the write queue
_pool = ThreadPoolExecutor(4, thread_name_prefix="bot-database")  # commands: while one waits, others are answered
_thinkers = ThreadPoolExecutor(4, thread_name_prefix="bot-thinking")  # those that wait for a model hold up nobody else


async def run(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that uses the database, off the event loop, and return what it returns.

    It works inside the guild that its first argument is, or in which that one asks.
    """
    until = time.monotonic() + PATIENCE  # waiting for a thread is a part of it
    call = partial(_inside_its_guild, function, *args, **kwargs)
    return await _run_in(_pool, lambda: max(SHORTEST, until - time.monotonic()), call)


async def think(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that may wait for a model in the same way, and return what it returns."""
    return await _run_in(_thinkers, lambda: PATIENCE, partial(_inside_its_guild, function, *args, **kwargs))


async def write(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that nobody waits for, in turn with others, and return what it returns."""
    return await _run_in(_writer, lambda: LONGEST, partial(function, *args, **kwargs))


def _inside_its_guild(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    asked = getattr(args[0], "guild", args[0]) if args else None
    known = db.read(Guild, BY_KEY, [asked.key]) if isinstance(asked, GuildRef) else []
    with inside(known[0] if known else None):
        return function(*args, **kwargs)


async def _run_in(pool: ThreadPoolExecutor, patience: Callable[[], float], function: Callable[[], T]) -> T:
    def call() -> T:
        # Django does this around requests, and a bot has none. A thread that waits keeps no connection from the pool.
        close_old_connections()
        try:
            with db.wait_at_most(round(patience() * 1000)):
                return function()
        finally:
            close_old_connections()

    return await sync_to_async(call, thread_sensitive=False, executor=pool)()
