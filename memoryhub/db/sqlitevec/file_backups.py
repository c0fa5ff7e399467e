"""Copies the database file while it is used, and puts a copy back: whole or not at all, whenever it is killed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

from django.db import OperationalError, connection

from memoryhub.db.backups import RESTORED, Damaged, InUse, NoBackup, Restored, Stone, new_copy, sync
from memoryhub.db.sqlitevec.base import load_vectors
from memoryhub.db.sqlitevec.driver import Database

FOUND = 3  # troubles that are named
RESTORING = ".restoring"  # the end of the name of what will be the database


def trouble(path: Path) -> str:
    """Return what SQLite finds wrong with a database file that it reads from end to end; empty for nothing.

    Raises the driver's OperationalError where the file can't be looked at: a full disk, a lock.
    """
    try:
        with closing(_open(path, "ro")) as database:
            load_vectors(database)  # or its tables could not be looked at
            found = [row[0] for row in database.execute(f"PRAGMA quick_check({FOUND})")]
    except Database.OperationalError:
        raise
    except Database.DatabaseError as error:
        return str(error)
    return "" if found == ["ok"] else " ".join("; ".join(found).split())


def back_up(database: Path, target: Path) -> None:
    """Write a copy of one moment of the database, checked, to a new file; readers and writers go on meanwhile.

    Raises Damaged, FileExistsError, OSError or the driver's OperationalError.
    """
    with new_copy(target) as partial:
        with closing(_open(database, "ro")) as source, closing(_open(partial, "rw")) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        if found := trouble(partial):
            raise Damaged(found)


def restore(
    backup: Path, database: Path, *, now: datetime, prepare: Callable[[Database.Connection], object] = str
) -> Path | None:
    """Put a copy of the backup in the database's place, in one step; return where the old one is kept, if there was.

    `prepare` may write into the copy before anybody sees it.
    Whenever it is killed, the database is the old one or the new one. Raises Damaged, InUse and what `back_up` does.
    """
    _clear(database)
    _settle(database)  # before everybody's messages are copied
    fresh = database.with_name(f"{database.name}{RESTORING}")
    try:
        back_up(backup, fresh)
        with closing(_open(fresh, "rw")) as copy, copy:
            prepare(copy)
        sync(fresh)
        kept = _keep_old(database, now=now) if database.exists() else None
        fresh.replace(database)
    finally:
        fresh.unlink(missing_ok=True)  # it holds chat, and no erasure reaches it
    sync(database.parent)
    return kept


def _clear(database: Path) -> None:
    """Remove what a restore that was killed left beside the database."""
    for path in database.parent.glob(f"{database.name}{RESTORING}*"):
        path.unlink(missing_ok=True)


def _keep_old(database: Path, *, now: datetime) -> Path:
    """Give the old database a second name, under which it stays; raises InUse."""
    _settle(database)
    kept = database.with_name(f"{database.name}.{now:%Y%m%d-%H%M%S}")
    os.link(database, kept)
    for end in ("-wal", "-shm"):  # still there beside a damaged file only; they must not be played into the new one
        beside = database.with_name(database.name + end)
        if beside.exists():
            beside.replace(kept.with_name(kept.name + end))
    return kept


def _settle(database: Path) -> None:
    """Write the log of changes back into the file; nobody else may have it open. A damaged file stays as it is."""
    try:
        with closing(_open(database, "rw", wait=2)) as old:
            old.execute("PRAGMA journal_mode = DELETE")
    except Database.OperationalError as error:
        if "locked" in str(error):
            raise InUse from error
    except Database.DatabaseError:
        return


def _open(path: Path, mode: str, *, wait: float = 20) -> Database.Connection:
    return Database.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=wait)


# --- What `memoryhub.db.backups` asks of both databases ----------------------------------------------------------


def place() -> str:
    """Return the file's path."""
    return str(connection.settings_dict["NAME"])


def is_there() -> bool:
    """Look for the file."""
    return Path(place()).exists()


def trouble_here() -> str:
    """Return what is wrong with the file that is used."""
    with _as_djangos():
        return trouble(Path(place()))


def copies_here() -> list[Path]:
    """Return the files whose names begin as the database's does."""
    return sorted(Path(place()).parent.glob(f"{Path(place()).name}.*"))


def clear_unfinished() -> None:
    """Remove the files that a restore began with."""
    _clear(Path(place()))


def require_unused() -> None:
    """Have the log of changes written back: SQLite does that only for who is alone."""
    connection.close()
    with _as_djangos():
        _settle(Path(place()))


def back_up_to(target: Path) -> None:
    """Copy the file that is used."""
    with _as_djangos():
        if found := trouble(Path(place())):
            raise Damaged(f"{place()} is damaged, and so would its backup be: {found}. Restore an older one")
        back_up(Path(place()), target)


def migrations_of(file: Path) -> set[tuple[str, str]]:
    """Return what the file's own table says."""
    try:
        with closing(_open(file, "ro")) as backup:
            return set(backup.execute("SELECT app, name FROM django_migrations"))
    except Database.Error:
        return set()


def restore_from(file: Path, *, now: datetime, stones: str, columns: str, known_by: str) -> Restored:
    """Put a backup in the place of the file that is used."""
    database = Path(place())
    with _as_djangos():
        if found := trouble(file):
            raise Damaged(f"{file} is damaged, so nothing was changed: {found}")
        with closing(Database.connect(file)) as backup:
            if not backup.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [known_by]).fetchone():
                raise NoBackup
        connection.close()
        read = partial(_stones, table=stones, columns=columns)
        newer = read(database, since=read(file))
        kept = restore(file, database, now=now, prepare=partial(_keep, newer, table=stones, columns=columns))
    return Restored(place=str(database), kept=str(kept or ""))


def _stones(path: Path, since: dict[str, Stone] | None = None, *, table: str, columns: str) -> dict[str, Stone]:
    """Return the rows by their first column; none if the file can't be read. `since` leaves out what another has."""
    if not path.exists():
        return {}
    try:
        with closing(Database.connect(path)) as database:
            rows = database.execute(f"SELECT {columns} FROM {table}")  # noqa: S608
            return {row[0]: row for row in rows if not since or row[0] not in since or since[row[0]][1] < row[1]}
    except Database.Error:
        return {}


def _keep(stones: dict[str, Stone], copy: Database.Connection, *, table: str, columns: str) -> None:
    if stones:
        copy.execute(f"CREATE TABLE IF NOT EXISTS {RESTORED} (digest TEXT)")
        copy.executemany(f"INSERT INTO {RESTORED} VALUES (?)", [(key,) for key in stones])  # noqa: S608
    marks = ", ".join("?" for _ in columns.split(","))
    copy.executemany(f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({marks})", list(stones.values()))  # noqa: S608


@contextmanager
def _as_djangos() -> Iterator[None]:
    try:
        yield
    except Database.OperationalError as error:
        raise OperationalError(*error.args) from error
