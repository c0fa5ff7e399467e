"""How long a statement on this thread's connection waits for the one that writes: in SQLite, one does at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from memoryhub.db.sqlitevec.base import DatabaseWrapper


def set_wait(milliseconds: int) -> None:
    """Have this connection wait so long for the one that writes."""
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout={milliseconds:d}")


def let_others_write() -> None:
    """Have this process's connections pause between two transactions, as long as the first took."""
    DatabaseWrapper.gives_way = True


@contextmanager
def wait_at_most(milliseconds: int) -> Iterator[None]:
    """Wait no longer than this for another writer."""
    # Each cursor is closed at once: an open statement would keep VACUUM out.
    with connection.cursor() as cursor:
        (usual,) = cursor.connection.execute("PRAGMA busy_timeout").fetchone()
    set_wait(milliseconds)
    try:
        yield
    finally:
        set_wait(usual)
