"""How long a statement waits for the one that writes: SQLite lets one write at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

LONGEST = 20_000  # milliseconds, the setting of every connection


@contextmanager
def wait_at_most(milliseconds: int) -> Iterator[None]:
    """Wait no longer than this for another writer: whoever only reads must not feel it."""
    # Each cursor is closed at once: an open statement would keep VACUUM out.
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout={milliseconds:d}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout={LONGEST:d}")
