"""Transactions of many processes: writers of one guild take turns, and who lost a race begins anew.

SQLite has one writer at all. PostgreSQL has many, and a transaction there does not see what another one is about to
write: who reads rows of a guild to decide what to write into it calls `lock_guild` first.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from django.db import DatabaseError, connection, models
from django.db.transaction import TransactionManagementError

from memoryhub.db.backend import dialect

P = ParamSpec("P")
T = TypeVar("T")
Write = Callable[[], None]
ATTEMPTS = 5
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
WORK = ("minute", "learn", "papers", "night")
# The table is that of `memoryhub.community.due_work`. One statement for all kinds: every change of a guild runs it.
MARK = """INSERT INTO community_duework (guild_id, work, at) {rows}
    ON CONFLICT (guild_id, work) DO UPDATE SET at = excluded.at WHERE community_duework.at > excluded.at"""
MARK_ONE = MARK.format(rows=f"VALUES {', '.join(['(%s, %s, %s)'] * len(WORK))}")
MARK_EACH = MARK.format(rows="SELECT id, %s, %s FROM community_guild WHERE true")
_is_marked: ContextVar[bool] = ContextVar("is_marked", default=False)
PAUSE = 0.05  # seconds, doubled with each attempt; about half of it is waited, so that two do not meet again


def lock_guild(guild: int) -> None:
    """Wait until no other transaction writes to this guild, and keep others waiting until this one ends.

    Whoever locks is about to write, so the guild is marked for the background. Call it inside a transaction, before
    the rows are read that it decides on. Who locks twice waits once.
    """
    _lock(guild)


def lock_guild_and_number(guild: int, model: type[models.Model]) -> int | None:
    """Do the same, and return an id for a new row of the model; None where rows are numbered as they are stored."""
    return _lock(guild, numbered=model._meta.db_table)


def _lock(guild: int, *, numbered: str = "") -> int | None:
    if not connection.in_atomic_block:
        raise TransactionManagementError("A guild is locked inside a transaction: it is free again when that ends.")
    return dialect().lock_guild(guild, also=partial(_write_beside, guild), numbered=numbered)


def _write_beside(guild: int) -> None:
    if (beside := _beside.get()) is not None:
        beside.join()
    if not _is_marked.get():
        mark_guild(guild)


@contextmanager
def marked_already() -> Iterator[None]:
    """Mark no guild inside: for work on a row that waits, and so keeps its guild marked until the work is done."""
    token = _is_marked.set(True)
    try:
        yield
    finally:
        _is_marked.reset(token)


def mark_guild(guild: int) -> None:
    """Have the background look at this guild: what it does there may be due. For whoever writes without the lock."""
    at_once = dialect().to_column(LONG_AGO)
    with connection.cursor() as cursor:
        cursor.execute(MARK_ONE, [value for work in WORK for value in (guild, work, at_once)])


def mark_every_guild() -> None:
    """Do the same for all: something that holds for each of them has changed, such as the embedder."""
    at_once = dialect().to_column(LONG_AGO)
    with connection.cursor() as cursor:
        for work in WORK:
            cursor.execute(MARK_EACH, [work, at_once])


def lock_guild_of_key(key: str) -> bool:
    """Lock the guild of this key, without a mark; False where there is none that could be locked."""
    return dialect().lock_guild_of_key(key)


class Beside:
    """Something to write together with a change of a guild: in its transaction, so that there is both or neither."""

    def __init__(self, write: Write) -> None:
        self._write, self._committed = write, False

    @property
    def written(self) -> bool:
        """Whether a transaction has taken it along, or is about to."""
        return self._committed or any(done == self._commit for _, done, *_ in connection.run_on_commit)

    def join(self) -> None:
        """Write it into the open transaction, unless it was written; what is rolled back is written with the next."""
        if not self.written:
            connection.on_commit(self._commit)
            self._write()

    def _commit(self) -> None:
        self._committed = True


_beside: ContextVar[Beside | None] = ContextVar("beside", default=None)


@contextmanager
def beside_a_change(write: Write) -> Iterator[Beside]:
    """Have the first transaction inside that locks a guild write this too."""
    beside = Beside(write)
    token = _beside.set(beside)
    try:
        yield beside
    finally:
        _beside.reset(token)


def retrying(function: Callable[P, T]) -> Callable[P, T]:
    """Run a function, which is one transaction, again when PostgreSQL ended it for the sake of another one.

    That is so after a deadlock, or where two changed the same rows. Inside a transaction the outermost is to be run
    again, so the error goes up.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return function(*args, **kwargs)
            except DatabaseError as error:
                if attempt == ATTEMPTS or connection.in_atomic_block or not dialect().is_lost_race(error):
                    raise
            time.sleep(random.uniform(0, PAUSE * 2**attempt))  # noqa: S311  no secret
        raise AssertionError("unreachable")

    return run
