"""Backups of the database and the way back: a copy of SQLite's file, or a dump of PostgreSQL's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, cast

from memoryhub.db.backend import half

RESTORED = "memoryhub_restored"
"""A table of the stones that a restore kept; while it is there, what they stand for may be in the database again."""
Stone = tuple[Any, ...]
"""A row that a restore must not undo: its key, its time, and more."""


class Damaged(Exception):
    """A database or a backup is damaged; the words say which, and what was found."""


class InUse(Exception):
    """Other processes have the database open."""

    def __str__(self) -> str:
        return "The hub is running. Stop it first (Ctrl-C, or its service)"


class NoBackup(Exception):
    """The file is no backup of the hub."""


class ToolMissing(Exception):
    """A program that comes with PostgreSQL is not there, or failed; the words say what to do."""


@dataclass(frozen=True, kw_only=True)
class Restored:
    """What a restore did: where the database is, and where the old one is kept."""

    place: str
    kept: str


class Backups(Protocol):
    """What each database does in its way; all of it raises Django's OperationalError and OSError, too."""

    def place(self) -> str:
        """Return where the database is, in an operator's words."""

    def is_there(self) -> bool:
        """Tell whether there is a database that could be read; to connect would make a file."""

    def trouble_here(self) -> str:
        """Return what is wrong with the database that is used; empty for nothing."""

    def copies_here(self) -> list[Path]:
        """Return the copies beside the database that restores made or left: a later erasure does not reach them."""

    def clear_unfinished(self) -> None:
        """Remove the copies that a restore was making when it was killed."""

    def require_unused(self) -> None:
        """Close this process's connections; raises InUse where another has the database open."""

    def back_up_to(self, target: Path) -> None:
        """Write a checked copy to a new file while the hub runs; raises Damaged, FileExistsError, ToolMissing."""

    def migrations_of(self, file: Path) -> set[tuple[str, str]]:
        """Return the migrations that a backup's tables are as new as, by app and name; none if it can't be read."""

    def restore_from(self, file: Path, *, now: datetime, stones: str, columns: str, known_by: str) -> Restored:
        """Put a backup in the database's place, in one step: whenever it is killed, it is the old one or the new one.

        The rows of the table `stones` that the backup lacks, or has older, are kept: `columns` begin with the key and
        the time. Their keys stand in the table `RESTORED`, too, for who is to act on them. Raises Damaged, InUse,
        NoBackup where there is no table `known_by`, ToolMissing.
        """


@contextmanager
def new_copy(target: Path) -> Iterator[Path]:
    """Yield a file that only its owner reads; once it is written it gets its name, and the disk itself holds both.

    One that is killed leaves `target.partial`, which the next one overwrites. Raises FileExistsError, OSError.
    """
    partial = target.with_name(f"{target.name}.partial")
    partial.unlink(missing_ok=True)
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL, 0o600))  # it holds chat
    try:
        yield partial
        sync(partial)
        os.link(partial, target)  # fails where a file of this name is, unlike a replacement
        sync(target.parent)
    finally:
        partial.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Have the disk itself hold a file, or the names in a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def backups() -> Backups:
    """Return the half for this database."""
    module = half(sqlite="memoryhub.db.sqlitevec.file_backups", postgres="memoryhub.db.postgres.dumps")
    return cast("Backups", module)
