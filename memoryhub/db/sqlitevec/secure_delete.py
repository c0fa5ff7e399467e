"""Takes what was deleted out of SQLite's own files: nothing of it stays in free pages or in the log of changes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from django.db import OperationalError, connection

from memoryhub.db.sqlitevec.busy_timeout import wait_at_most

_COPY = "import shutil, sys; shutil.copyfileobj(open(sys.argv[1], 'rb'), sys.stdout.buffer)"
READERS_WAITED_FOR = 5_000  # milliseconds: the log is emptied once nobody reads from before the deletion


def files() -> list[Path]:
    """Return the database's files that there are: the database, the log of changes, the index of that log."""
    main = Path(str(connection.settings_dict["NAME"]))
    named = [main, *(main.with_name(main.name + end) for end in ("-wal", "-shm", "-journal"))]
    return [path for path in named if path.exists()]


def read_blocks(path: Path, size: int) -> Iterator[bytes]:
    """Yield the bytes of a file of the database in blocks; nothing where it is gone.

    Another process reads it. Where this one closed a file that SQLite has open, the system would take away all of this
    process's locks on it, and another process could pull the log from under its connections (sqlite.org/howtocorrupt).
    """
    command = [sys.executable, "-I", "-S", "-c", _COPY, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as reader:  # noqa: S603
        assert reader.stdout is not None
        while block := reader.stdout.read(size):
            yield block


def size() -> int:
    """Return the bytes of the database file."""
    return sum(path.stat().st_size for path in files()[:1])


def clear_deleted(*, rewrite: bool) -> bool:
    """Empty the log of changes, and `rewrite` the file first; False where that can't be: inside a transaction, or read.

    Every connection overwrites what it deletes with zeros (`secure_delete`): the file need not be rewritten for that.
    While it is (VACUUM), readers go on and writers wait: some 10 ms a megabyte.
    """
    if connection.in_atomic_block:
        return False
    with wait_at_most(READERS_WAITED_FOR), connection.cursor() as cursor:
        try:
            if rewrite:
                cursor.execute("VACUUM")
            busy, *_ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except OperationalError:
            return False
    return not busy


def settle() -> None:
    """Write the log of changes back into the file."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.fetchall()
