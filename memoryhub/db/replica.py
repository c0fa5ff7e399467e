"""Has what is only read read on a replica of the database, as soon as that has all that was committed before.

Whoever just wrote reads their own write, and what was forgotten is told by no replica: before each question the primary
says how far it has written, and the replica whether it has come as far. One that is late, away, or no replica any more
is left aside for a moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.db import DEFAULT_DB_ALIAS, Error, connection, connections

from memoryhub.database_url import REPLICA
from memoryhub.db.backend import dialect, has_replica

WAITS = 0.05  # seconds that a question waits for the replica to catch up
ASIDE = 5.0  # seconds that nobody asks a replica that was late or away
P = ParamSpec("P")
R = TypeVar("R")

_primary: ContextVar[Any] = ContextVar("primary", default=None)
_aside_until = 0.0


def on_replica(read: Callable[P, R]) -> Callable[P, R]:
    """Have a function that writes nothing read on the replica, where there is one that has everything.

    What fails there is read on the primary: a query may be cancelled by what the replica has to replay. Inside a
    transaction nothing changes, since only the primary sees what it wrote.
    """

    @wraps(read)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        if _primary.get() or not has_replica() or connection.in_atomic_block or not _is_up():
            return read(*args, **kwargs)
        try:
            with _in_its_place(connections[REPLICA]):
                return read(*args, **kwargs)
        except Error:
            _leave_aside()
        return read(*args, **kwargs)

    return asked


@contextmanager
def on_primary() -> Iterator[None]:
    """Let what a question writes on its way go to the primary: what it cost, who did not answer."""
    if (primary := _primary.get()) is None:
        yield
        return
    replica = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = primary
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = replica


@contextmanager
def _in_its_place(replica: Any) -> Iterator[None]:
    """Have this thread's statements go to the replica, Django's own and ours."""
    primary = connections[DEFAULT_DB_ALIAS]
    kept = _primary.set(primary)
    connections[DEFAULT_DB_ALIAS] = replica
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = primary
        _primary.reset(kept)


def _leave_aside() -> None:
    """Have this process ask the primary alone for a while."""
    global _aside_until
    _aside_until = time.monotonic() + ASIDE


def why_unused() -> str:
    """Return an operator's sentence on why the replica is not read; empty when it is, or when there is none."""
    if not has_replica():
        return ""
    replica, primary = connections[REPLICA], connections[DEFAULT_DB_ALIAS]
    try:
        if reason := dialect().why_no_replica(replica, primary):
            return reason
        return "" if dialect().has_caught_up(replica, primary, within=1) else "It is behind by more than a second."
    except Error as error:
        return dialect().explain(error)


def _is_up() -> bool:
    """Say whether the replica has what the primary had committed when it was asked."""
    if time.monotonic() < _aside_until:
        return False
    try:
        up = dialect().has_caught_up(connections[REPLICA], connections[DEFAULT_DB_ALIAS], within=WAITS)
    except Error:
        up = False
        connections[REPLICA].close()
    if not up:
        _leave_aside()
    return up
