"""PostgreSQL's half of what differs between the databases: `memoryhub.db.backend` says what each name is for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connection, models, transaction

from memoryhub.db.postgres.lock_timeout import let_others_write as let_others_write
from memoryhub.db.postgres.lock_timeout import set_wait as set_wait
from memoryhub.db.postgres.lock_timeout import wait_at_most as wait_at_most
from memoryhub.db.postgres.lock_timeout import why_busy as why_busy
from memoryhub.db.postgres.outage import is_told as is_told
from memoryhub.db.postgres.replication import has_caught_up as has_caught_up
from memoryhub.db.postgres.replication import why_no_replica as why_no_replica
from memoryhub.db.postgres.requirements import why_away as why_away
from memoryhub.db.postgres.requirements import why_server_unusable
from memoryhub.db.postgres.requirements import why_unusable as why_unusable
from memoryhub.db.postgres.server_trouble import brief as brief
from memoryhub.db.postgres.server_trouble import explain as explain
from memoryhub.db.postgres.server_trouble import is_full as is_full
from memoryhub.db.postgres.server_trouble import is_of_the_database as is_of_the_database
from memoryhub.db.postgres.server_trouble import state
from memoryhub.db.postgres.vacuum import clear_deleted as clear_deleted
from memoryhub.db.postgres.vacuum import settle as settle

IN_ORDER = "JOIN"
BY_NO_INDEX = ""
TAKES_RETURNING = True
TAKES_COLUMNS = True
JOINS_CHEAPLY = False  # to plan a join of five tables costs more than to ask each of them
VECTOR_EXTENSION = "pgvector"
EXTENSIONS = ("vector", "btree_gin")
MIGRATES_WITHIN = 600_000  # milliseconds
MIGRATIONS, GUILDS = 0x6D67, 0x6D68  # tells the hub's locks from those of others in the same database
LOCK = "SELECT pg_advisory_xact_lock(%s, %s)"
LOCK_AND_NUMBER = f"{LOCK}, nextval(pg_get_serial_sequence(%s, 'id'))"
LOST_RACES = ("40001", "40P01")  # two changed the same rows; two waited for each other
MOST_VALUES = 20_000  # of one statement; the protocol takes 65,535
UNDEFINED_TABLE = "42P01"
WRITERS: dict[type[Any], dict[type, Callable[[Any], Any] | None]] = {
    models.DateTimeField: {datetime: None},
    models.UUIDField: {UUID: None},
}


def prepare() -> None:
    """Make the extensions: vectors, and indexes that hold numbers beside words."""
    with connection.cursor() as cursor:
        for name in EXTENSIONS:
            cursor.execute(f"CREATE EXTENSION IF NOT EXISTS {name}")


def by_index(_name: str) -> str:
    """Return nothing: the planner counts rows, and knows no hints."""
    return ""


def among(column: str, mark: str, kind: str) -> str:
    """Return the condition that a column's value is in a list."""
    return f"{column} = ANY({mark}::{kind}[])"


def among_found(column: str, query: str) -> str:
    """Return the condition that a column's value is among those of a query."""
    return f"{column} = ANY(ARRAY({query}))"


def joined(column: str, between: str) -> str:
    """Return the aggregate that joins values to one text."""
    return f"string_agg({column}::text, '{between}')"


def listed(mark: str, alias: str) -> str:
    """Return the table of a list, with the columns `value` and `key`, which counts up."""
    return f"unnest({mark}::bigint[]) WITH ORDINALITY AS {alias}(value, key)"


def list_param(values: Iterable[Any]) -> list[Any] | str:
    """Return a list as a parameter."""
    found = list(values)
    # Numbers are written out: the driver would look at each, and keep a statement for each size of them.
    return f"{{{','.join(map(str, found))}}}" if {*map(type, found)} <= {int} else found


def reserve_ids(table: str, count: int) -> list[int]:
    """Take ids from the table's sequence, which gives none twice."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)", [table, count])
        return [each for (each,) in cursor.fetchall()]


def to_column(moment: datetime) -> datetime:
    """Return the moment: columns hold time zones."""
    return moment


def keep_writers_out(tables: Sequence[str]) -> None:
    """Let nobody else write to the tables until the open transaction ends; readers go on."""
    with connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {', '.join(connection.ops.quote_name(table) for table in tables)} IN SHARE MODE")


def has_table(name: str) -> bool:
    """Say whether the table exists."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [name])
        found: bool = cursor.fetchone()[0]
    return found


def is_missing_table(error: BaseException) -> bool:
    """Say whether a statement failed because a table was not made yet."""
    return state(error) == UNDEFINED_TABLE


def trying() -> AbstractContextManager[object]:
    """Let a statement fail without failing the open transaction, which PostgreSQL would give up."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


@dataclass
class Together:
    """Statements that are sent as one."""

    statements: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def add(self, sql: str, params: Sequence[Any]) -> None:
        """Take one more; what would be too much goes first."""
        if len(self.values) + len(params) > MOST_VALUES:
            self.send()
        self.statements.append(sql)
        self.values += params

    def send(self) -> None:
        """Run them. PostgreSQL runs all parts of a statement, whether anybody asks what became of them or not."""
        if self.statements:
            *first, last = self.statements
            parts = ", ".join(f"w{place} AS ({each})" for place, each in enumerate(first))
            _run(f"WITH {parts} {last}" if parts else last, self.values)
        self.statements, self.values = [], []


_together: ContextVar[Together | None] = ContextVar("together", default=None)


@contextmanager
def in_one_go() -> Iterator[None]:
    """Have what is written inside sent as one statement: each one costs a wait, here and at the server."""
    if _together.get() is not None:
        yield
        return
    connection.ensure_connection()
    if is_spread(connection.settings_dict["NAME"]):
        with connection.wrap_database_errors, connection.connection.pipeline():
            yield
        return
    together = Together()
    token = _together.set(together)
    try:
        yield
    finally:
        _together.reset(token)
    together.send()


@cache
def is_spread(_database: str) -> bool:
    """Say whether tables lie on many nodes by Citus: it takes no statement that is made of several."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_extension WHERE extname = 'citus'")
        return cursor.fetchone() is not None


def write(sql: str, params: Sequence[Any]) -> None:
    """Run the statement, or put it to the others that go together."""
    if (together := _together.get()) is None:
        _run(sql, params)
    else:
        together.add(sql, params)


def _run(sql: str, params: Sequence[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)


def lock_guild(guild: int, *, also: Callable[[], None], numbered: str) -> int | None:
    """Take the guild's lock until the transaction ends; raises OperationalError when that takes too long.

    An id of the table `numbered` comes with it. What is written beside it goes out once the lock is there, and not in
    the driver's pipeline: inside one the server takes a process that stops for one at work, and never frees its locks.
    """
    sql, params = (LOCK_AND_NUMBER, [numbered]) if numbered else (LOCK, [])
    with connection.cursor() as cursor:
        cursor.execute(sql, [GUILDS, guild % (1 << 31), *params])
        number = int(cursor.fetchone()[-1]) if numbered else None
    also()
    return number


def lock_guild_of_key(key: str) -> bool:
    """Do the same to the guild of this key, if there is one."""
    lock = "SELECT pg_advisory_xact_lock(%s, (id %% 2147483648)::int) FROM community_guild WHERE key = %s"
    with connection.cursor() as cursor:
        cursor.execute(lock, [GUILDS, key])
        return cursor.fetchone() is not None


def is_lost_race(error: BaseException) -> bool:
    """Say whether the transaction was ended for another one's sake, and may be run again."""
    return state(error) in LOST_RACES


def server_version() -> tuple[int, ...]:
    """Return the server's version, such as (17, 2)."""
    connection.ensure_connection()
    found: tuple[int, ...] = connection.get_database_version()
    return found


def why_no_vectors() -> str:
    """Return why pgvector cannot be used; empty when it can."""
    if reason := why_server_unusable():
        return reason
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'")
        return "" if cursor.fetchone() else "pgvector is not in the database yet: run `manage.py migrate`."


@contextmanager
def migrating() -> Iterator[None]:
    """Keep others from migrating meanwhile; an empty database gets all of its tables, or none."""
    with connection.cursor() as cursor, wait_at_most(MIGRATES_WITHIN):
        cursor.execute("SELECT pg_advisory_lock(%s, 0)", [MIGRATIONS])
    try:
        fresh = not connection.introspection.table_names()
        with transaction.atomic() if fresh else nullcontext():
            yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s, 0)", [MIGRATIONS])


def files() -> list[Path]:
    """Return none: the server keeps them."""
    return []


def read_blocks(_path: Path, _size: int) -> Iterator[bytes]:
    """Return nothing: there is no file to read."""
    return iter(())


def size() -> int:
    """Return the bytes that the database takes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        found: int = cursor.fetchone()[0]
    return found


def tables() -> list[str]:
    """Return the tables of the hub's schema, parts of a table included."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename")
        return [name for (name,) in cursor.fetchall()]


def virtual_tables() -> list[str]:
    """Return none."""
    return []


def columns(table: str) -> list[tuple[str, str]]:
    """Return the names of a table's columns, each with its type."""
    sql = """SELECT column_name, data_type FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = %s ORDER BY ordinal_position"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [table])
        found: list[tuple[str, str]] = cursor.fetchall()
    return found


def unseen() -> list[str]:
    """Return where the server keeps copies that no statement shows."""
    return ["write-ahead log", "base backups and dumps", "replicas", "free space in the server's files and on its disk"]
