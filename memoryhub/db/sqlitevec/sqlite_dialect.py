"""SQLite's half of what differs between the databases: `memoryhub.db.backend` says what each name is for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import Error, connection, models

from memoryhub.db.sqlitevec.busy_timeout import let_others_write as let_others_write
from memoryhub.db.sqlitevec.busy_timeout import set_wait as set_wait
from memoryhub.db.sqlitevec.busy_timeout import wait_at_most as wait_at_most
from memoryhub.db.sqlitevec.file_trouble import brief as brief
from memoryhub.db.sqlitevec.file_trouble import explain as explain
from memoryhub.db.sqlitevec.file_trouble import is_full as is_full
from memoryhub.db.sqlitevec.file_trouble import is_of_the_database as is_of_the_database
from memoryhub.db.sqlitevec.file_trouble import is_told as is_told
from memoryhub.db.sqlitevec.secure_delete import clear_deleted as clear_deleted
from memoryhub.db.sqlitevec.secure_delete import files as files
from memoryhub.db.sqlitevec.secure_delete import read_blocks as read_blocks
from memoryhub.db.sqlitevec.secure_delete import settle as settle
from memoryhub.db.sqlitevec.secure_delete import size as size

IN_ORDER = "CROSS JOIN"
BY_NO_INDEX = "+"
TAKES_RETURNING = False  # older releases of SQLite do not know it, and the cursor's own number is quicker
TAKES_COLUMNS = False
JOINS_CHEAPLY = True
VECTOR_EXTENSION = "sqlite-vec"


def prepare() -> None:
    """Do nothing: the extension is loaded into each connection."""


def by_index(name: str) -> str:
    """Return the hint."""
    return f"INDEXED BY {name}"


def among(column: str, mark: str, _kind: str) -> str:
    """Return the condition that a column's value is in a list."""
    return f"{column} IN (SELECT value FROM json_each({mark}))"  # noqa: S608  both are written by the house


def among_found(column: str, query: str) -> str:
    """Return the condition that a column's value is among those of a query."""
    return f"{column} IN ({query})"


def joined(column: str, between: str) -> str:
    """Return the aggregate that joins values to one text."""
    return f"group_concat({column}, '{between}')"


def listed(mark: str, alias: str) -> str:
    """Return the table of a list, with the columns `value` and `key`, which counts up."""
    return f"json_each({mark}) AS {alias}"


def list_param(values: Iterable[Any]) -> str:
    """Return a list as a parameter."""
    return json.dumps(list(values))


def reserve_ids(table: str, count: int) -> list[int]:
    """Return the ids that come next: nobody else writes before the open transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT COALESCE(max(seq), 0) FROM sqlite_sequence WHERE name = %s", [table])
        last: int = cursor.fetchone()[0]
    return list(range(last + 1, last + 1 + count))


def to_column(moment: datetime) -> str:
    """Return the text that Django writes for a moment: in UTC, without its time zone."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(" ")


WRITERS: dict[type[Any], dict[type, Callable[[Any], Any] | None]] = {
    models.DateTimeField: {datetime: to_column},
    models.JSONField: {dict: json.dumps, list: json.dumps},
    models.UUIDField: {UUID: lambda value: value.hex},
}


def keep_writers_out(_tables: Sequence[str]) -> None:
    """Do nothing: a transaction holds the lock for writing from its first statement on."""


def has_table(name: str) -> bool:
    """Say whether the table exists."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = %s", [name])
        return cursor.fetchone() is not None


def is_missing_table(error: BaseException) -> bool:
    """Say whether a statement failed because a table was not made yet."""
    return "no such table" in str(error)


def trying() -> AbstractContextManager[object]:
    """Let a statement fail: an open transaction goes on as it is."""
    return nullcontext()


def in_one_go() -> AbstractContextManager[object]:
    """Do nothing: there is nobody to wait for."""
    return nullcontext()


def write(sql: str, params: Sequence[Any]) -> None:
    """Run the statement at once."""
    with connection.cursor() as cursor:
        cursor.execute(sql, params)


def lock_guild(_guild: int, *, also: Callable[[], None], numbered: str) -> None:
    """Lock nothing: a transaction is the only writer from its begin on. A row gets its id when it is stored."""
    also()


def lock_guild_of_key(_key: str) -> bool:
    """Do nothing, as `lock_guild`."""
    return True


def is_lost_race(_error: BaseException) -> bool:
    """Say no: who has begun to write is never ended for another's sake."""
    return False


def server_version() -> tuple[int, ...]:
    """Return the version of the SQLite behind the connection, which need not be the one of Python's own module."""
    connection.ensure_connection()
    with connection.cursor() as cursor:
        cursor.execute("SELECT sqlite_version()")
        (found,) = cursor.fetchone()
    return tuple(int(part) for part in found.split("."))


def tables() -> list[str]:
    """Return the tables that rows are stored in, those behind virtual ones included."""
    return _named("sql NOT LIKE 'CREATE VIRTUAL%%'")


def virtual_tables() -> list[str]:
    """Return the tables of extensions."""
    return _named("sql LIKE 'CREATE VIRTUAL%%'")


def _named(condition: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT name FROM sqlite_master WHERE type = 'table' AND {condition}", [])  # noqa: S608
        return [name for (name,) in cursor.fetchall()]


def columns(table: str) -> list[tuple[str, str]]:
    """Return the names of a table's columns, each with the type that it was made with, in small letters."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, lower(type) FROM pragma_table_info(%s)", [table])
        found: list[tuple[str, str]] = cursor.fetchall()
    return found


def unseen() -> list[str]:
    """Return nothing: every byte is in files that are looked through."""
    return []


def why_away() -> str:
    """Return nothing: no server is needed."""
    return ""


def why_busy() -> str:
    """Return nothing: a file does not say who holds its lock."""
    return ""


def why_unusable() -> str:
    """Return nothing: a file that can't be opened says so by itself."""
    return ""


def migrating() -> AbstractContextManager[object]:
    """Do nothing: a lock beside the file keeps others waiting."""
    return nullcontext()


def why_no_vectors() -> str:
    """Return why sqlite-vec is not loaded; empty when it is."""
    try:
        connection.ensure_connection()
    except Error as error:
        return explain(error)
    reason: str = getattr(connection, "vector_trouble", "the database engine is not memoryhub.db.sqlitevec")
    return reason


def has_caught_up(_replica: Any, _primary: Any, *, within: float) -> bool:
    """Return no: a file has no replica."""
    return False


def why_no_replica(_replica: Any, _primary: Any) -> str:
    """Return so: a file has no replica."""
    return "A file has no replica."
