"""What this thread's database connection can do, and how long its statements wait for those who write."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from django.db import DEFAULT_DB_ALIAS
from django.db.backends.base.base import BaseDatabaseWrapper

from memoryhub.db.backend import dialect

SOON = 4_000  # milliseconds that a process waits for another writer where somebody waits for its answer
_waits = 20_000  # milliseconds that any other process waits


def answer_soon() -> None:
    """Have the connections that this process opens give up soon where another process writes; others wait for 20 s."""
    global _waits
    _waits = SOON


def let_others_write() -> None:
    """Have this process, for whose answer nobody waits, pause between its transactions as long as each took."""
    dialect().let_others_write()


def wait_as_usual(connection: BaseDatabaseWrapper, **_: object) -> None:
    """Have a connection begin with this process's patience: one of the pool may have been given back with less."""
    if connection.alias == DEFAULT_DB_ALIAS:
        dialect().set_wait(_waits)


def wait_at_most(milliseconds: int) -> AbstractContextManager[None]:
    """Wait no longer than this for another writer: whoever only reads must not feel it."""
    return dialect().wait_at_most(milliseconds)


def keep_writers_out(tables: Sequence[str]) -> None:
    """Let nobody else write to the tables until the open transaction ends; readers go on."""
    dialect().keep_writers_out(tables)


def can_load_vectors() -> bool:
    """Say whether the vector extension can be used on the connection of this thread (opens it when it is closed)."""
    return not why_no_vectors()


def vector_extension() -> str:
    """Return the name of the extension that searches vectors; empty where this thread's connection has none."""
    return dialect().VECTOR_EXTENSION if can_load_vectors() else ""


def server_version() -> tuple[int, ...]:
    """Return the version of the database behind the connection."""
    return dialect().server_version()


def why_away() -> str:
    """Return an operator's sentence on why the server can't be reached yet; empty when it can, or there is none.

    Raises Error for what no waiting mends, such as a wrong password.
    """
    return dialect().why_away()


def why_busy() -> str:
    """Return an operator's sentence on who has kept others from the database for long; empty where nobody is known."""
    return dialect().why_busy()


def why_unusable() -> str:
    """Return an operator's sentence on why the hub can't run on this database; empty when it can. Changes nothing."""
    return dialect().why_unusable()


def migrating() -> AbstractContextManager[object]:
    """Keep other hosts from migrating meanwhile; an empty database gets all of its tables, or none."""
    return dialect().migrating()


def why_no_vectors() -> str:
    """Return an operator's sentence on why there is no vector extension; empty when there is one."""
    return dialect().why_no_vectors()
