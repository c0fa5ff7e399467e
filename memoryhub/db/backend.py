"""The one place that decides which database the house runs on, and what is written differently for each.

Elsewhere nobody asks for the vendor: a statement takes its pieces from here, by way of `memoryhub.db.raw_sql`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings

from memoryhub.database_url import REPLICA

POSTGRES = "memoryhub.db.postgres"


@cache
def on_postgres() -> bool:
    """Say whether the database is PostgreSQL; otherwise it is SQLite."""
    return bool(settings.DATABASES["default"]["ENGINE"] == POSTGRES)


@cache
def has_replica() -> bool:
    """Say whether a replica may be read beside the database."""
    return REPLICA in settings.DATABASES


def half(*, sqlite: str, postgres: str) -> Any:
    """Return the module of the two that is written for this database; the other one is not even imported."""
    return import_module(postgres if on_postgres() else sqlite)


class Dialect(Protocol):
    """What differs between the two databases. Each half is a module of plain functions."""

    IN_ORDER: str
    """Joins tables in the order that they are written in, where the planner would guess wrong."""

    BY_NO_INDEX: str
    """Stands before a column by whose index the planner should not look."""

    WRITERS: dict[type[Any], dict[type, Callable[[Any], Any] | None]]
    """By a field's class and a value's type: how `fast_rows` writes it; None: as it is. Django writes the others."""

    TAKES_RETURNING: bool
    """Whether an INSERT returns the new id by RETURNING; otherwise the cursor knows it."""

    # ruff: noqa: D102  (each is described in `raw_sql`, `fast_rows`, `transactions`, `open_connection`, `trouble`, `stored_files`)
    def prepare(self) -> None: ...

    def by_index(self, name: str) -> str: ...
    def among(self, column: str, mark: str, kind: str) -> str: ...
    def listed(self, mark: str, alias: str) -> str: ...
    def reserve_ids(self, table: str, count: int) -> list[int]: ...
    def list_param(self, values: Iterable[Any]) -> Any: ...
    def to_column(self, moment: datetime) -> Any: ...
    def from_column(self, column: datetime) -> datetime: ...
    def has_table(self, name: str) -> bool: ...
    def is_missing_table(self, error: BaseException) -> bool: ...
    def trying(self) -> AbstractContextManager[object]: ...

    def lock_guild(self, guild: int) -> None: ...
    def lock_guild_of_key(self, key: str) -> bool: ...
    def is_lost_race(self, error: BaseException) -> bool: ...
    def keep_writers_out(self, tables: Sequence[str]) -> None: ...
    def set_wait(self, milliseconds: int) -> None: ...
    def wait_at_most(self, milliseconds: int) -> AbstractContextManager[None]: ...
    def server_version(self) -> tuple[int, ...]: ...
    def why_no_vectors(self) -> str: ...
    def why_unusable(self) -> str: ...
    def migrating(self) -> AbstractContextManager[object]: ...

    def is_full(self, error: BaseException) -> bool: ...
    def is_of_the_database(self, error: BaseException) -> bool: ...
    def explain(self, error: BaseException) -> str: ...

    def files(self) -> list[Path]: ...
    def read_blocks(self, path: Path, size: int) -> Iterator[bytes]: ...
    def size(self) -> int: ...
    def tables(self) -> list[str]: ...
    def virtual_tables(self) -> list[str]: ...
    def unseen(self) -> list[str]: ...
    def clear_deleted(self, *, rewrite: bool) -> bool: ...

    def has_caught_up(self, replica: Any, primary: Any, *, within: float) -> bool: ...
    def why_no_replica(self, replica: Any, primary: Any) -> str: ...


@cache
def dialect() -> Dialect:
    """Return the half that this database speaks; the other one is not even imported."""
    if on_postgres():
        from memoryhub.db.postgres import postgres_dialect

        return postgres_dialect
    from memoryhub.db.sqlitevec import sqlite_dialect

    return sqlite_dialect


def prepare(*_: object) -> None:
    """Get an empty database ready for its first table: a step of the first migration."""
    dialect().prepare()
