"""Takes deleted rows out of PostgreSQL's tables and indexes, where dead ones stay until somebody cleans up."""

from __future__ import annotations

import time

from django.db import connection

READERS_WAITED_FOR = 5.0  # seconds: a row is kept as long as a transaction from before its deletion might read it
LOOKED_EVERY = 0.1  # seconds
OLDER = """SELECT count(*) FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND datname = current_database() AND age(backend_xmin) >= age(%s::text::xid)"""
NOT_OURS = """SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()
    AND NOT pg_has_role(tableowner, 'USAGE')"""


def clear_deleted(*, rewrite: bool) -> bool:
    """Vacuum every table; False inside a transaction, where an older one goes on, or where tables are another's.

    Nothing is rewritten: that would keep everybody from reading the tables meanwhile.
    """
    del rewrite
    if connection.in_atomic_block:
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id()::xid::text")
        (now,) = cursor.fetchone()
        until = time.monotonic() + READERS_WAITED_FOR
        while older := _count(OLDER, now):
            if time.monotonic() > until:
                break
            time.sleep(LOOKED_EVERY)
        cursor.execute("VACUUM")
    return not older and not _count(NOT_OURS)


def settle() -> None:
    """Have statistics and visibility as autovacuum leaves them; tables of another owner are passed over."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _count(statement: str, *params: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        found: int = cursor.fetchone()[0]
    return found
