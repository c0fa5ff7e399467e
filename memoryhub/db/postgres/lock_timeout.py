"""How long a statement on this thread's connection waits for a row that another transaction has locked, and whose."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

LONG = 10  # seconds that a transaction is open; those of the hub are short
KEEPERS = """WITH kept AS (SELECT DISTINCT unnest(pg_blocking_pids(pid)) AS pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock')
    SELECT pid, usename, coalesce(nullif(application_name, ''), 'a client'),
        coalesce(extract(epoch FROM clock_timestamp() - xact_start)::int, %s)
    FROM kept JOIN pg_stat_activity USING (pid) WHERE wait_event_type IS DISTINCT FROM 'Lock' ORDER BY xact_start"""
USUAL = 20_000  # milliseconds; `memoryhub.settings` has each connection begin with it


def set_wait(milliseconds: int) -> None:
    """Have this connection wait so long; one that the pool hands out again may have been told already."""
    connection.ensure_connection()
    if _known(connection.connection) != milliseconds:
        _set(milliseconds, local=False)
        connection.connection.hub_waits = milliseconds


def let_others_write() -> None:
    """Do nothing: whoever waits for a lock here stands in a line."""


@contextmanager
def wait_at_most(milliseconds: int) -> Iterator[None]:
    """Wait no longer than this for another writer."""
    connection.ensure_connection()
    if connection.in_atomic_block:
        # It ends with the transaction; one that failed takes no more statements, and is rolled back anyway.
        _set(milliseconds, local=True)
        yield
        if not connection.needs_rollback:
            _set(_known(connection.connection), local=True)
        return
    raw = connection.connection
    usual = _known(raw)
    set_wait(milliseconds)
    try:
        yield
    finally:
        if connection.connection is raw:  # not one that went back to the pool: see `wait_as_usual`
            set_wait(usual)


def why_busy() -> str:
    """Return an operator's sentence on a session that has kept others waiting for long; empty where none does."""
    return " ".join(
        f"Session {pid} ({program}, user {user}) has been in a transaction for {seconds} s and keeps others waiting. "
        f"If nothing is to come of it: `SELECT pg_terminate_backend({pid})`."
        for pid, user, program, seconds in keepers()
        if seconds >= LONG
    )


def keepers() -> list[tuple[int, str, str, int]]:
    """Return process, user and program of the sessions that others wait for, and the seconds of their transactions."""
    with connection.cursor() as cursor:
        cursor.execute(KEEPERS, [LONG])
        found: list[tuple[int, str, str, int]] = cursor.fetchall()
    return found


def _known(raw: Any) -> int:
    return int(getattr(raw, "hub_waits", USUAL))


def _set(milliseconds: int, *, local: bool) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, %s)", [f"{milliseconds:d}ms", local])
