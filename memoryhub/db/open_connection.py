"""What this thread's database connection can do, and how long its statements wait for the one that writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import Error, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from memoryhub.db.file_trouble import explain

SOON = 4_000  # milliseconds that a process waits to write where somebody waits for its answer; one writes at a time


def answer_soon() -> None:
    """Have the connections that this process opens give up soon where another process writes; others wait for 20 s."""
    connection_created.connect(_wait_soon)


def _wait_soon(connection: BaseDatabaseWrapper, **_: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout={SOON:d}")


@contextmanager
def wait_at_most(milliseconds: int) -> Iterator[None]:
    """Wait no longer than this for another writer: whoever only reads must not feel it."""
    # Each cursor is closed at once: an open statement would keep VACUUM out.
    with connection.cursor() as cursor:
        (usual,) = cursor.connection.execute("PRAGMA busy_timeout").fetchone()
        cursor.execute(f"PRAGMA busy_timeout={milliseconds:d}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout={usual:d}")


def can_load_vectors() -> bool:
    """Say whether `vec0` tables can be used on the connection of this thread (opens it when it is closed)."""
    return not why_no_vectors()


def sqlite_version() -> tuple[int, ...]:
    """Return the version of the SQLite behind the connection, which need not be the one of Python's own module."""
    connection.ensure_connection()
    with connection.cursor() as cursor:
        cursor.execute("SELECT sqlite_version()")
        (found,) = cursor.fetchone()
    return tuple(int(part) for part in found.split("."))


def why_no_vectors() -> str:
    """Return an operator's sentence on why there is no vector extension; empty when there is one."""
    try:
        connection.ensure_connection()
    except Error as error:
        return explain(error)
    reason: str = getattr(connection, "vector_trouble", "the database engine is not memoryhub.db.sqlitevec")
    return reason
