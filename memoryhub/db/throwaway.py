"""What measuring asks of a database: one of its own to fill, what its server takes, and how big it has become."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Protocol

from memoryhub.db import backend
from memoryhub.db.stored_files import settle, size


class Half(Protocol):
    """What each database does; a module of functions."""

    # ruff: noqa: D102  (described below)
    def scratch(self, folder: Path) -> AbstractContextManager[str]: ...
    def address(self) -> str: ...
    def server_cpu(self) -> float: ...


@cache
def _half() -> Half:
    """Return the database's half; only now, since a process may be told its database after it has loaded this."""
    half: Half = backend.half(
        sqlite="memoryhub.db.sqlitevec.scratch_file", postgres="memoryhub.db.postgres.scratch_server"
    )
    return half


def scratch(folder: Path) -> AbstractContextManager[str]:
    """Point this process at an empty database, and back again; yields its address, as DATABASE_URL has it."""
    return _half().scratch(folder)


def address() -> str:
    """Return the address of the database that this process uses, as DATABASE_URL has it."""
    return _half().address()


def server_cpu() -> float:
    """Return the seconds of processor time that the server has taken for this thread's connection, where it is here."""
    return _half().server_cpu()


def settled_size() -> int:
    """Return the bytes of the database once it is as it will be after a while."""
    settle()
    return size()
