"""A backup is one moment of the database, whole and checked; a restore gives the old database or the new one."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime

import pytest

from memoryhub.db.sqlitevec import file_backups as backups
from memoryhub.db.sqlitevec.driver import Database

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
pytestmark = pytest.mark.sqlite_only("copies of its file")
ROWS = 2_000
# The functions between which a process can die, and a program that dies before the nth call of any of them.
STEPS = ("os.link", "os.fsync", "pathlib.Path.replace", "pathlib.Path.unlink")
PROGRAM = """
import os, pathlib, signal, sys
from datetime import UTC, datetime
from memoryhub.db.sqlitevec import file_backups as backups

left = int(sys.argv[1])
def dies(real):
    def call(*args, **kwargs):
        global left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    return call
for owner, name in ((os, "link"), (os, "fsync"), (pathlib.Path, "replace"), (pathlib.Path, "unlink")):
    setattr(owner, name, dies(getattr(owner, name)))
{call}
"""


def make(path, word: str, rows: int = ROWS) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE said (text)")
        database.executemany("INSERT INTO said VALUES (?)", [(f"{word} " * 50,)] * rows)
        database.commit()


def words(path) -> set[str]:
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT count(*) FROM said").fetchone() == (ROWS,)
        return {text.split()[0] for (text,) in database.execute("SELECT DISTINCT text FROM said")}


def damage(path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2 : len(raw) // 2 + 20_000] = b"\xff" * 20_000
    path.write_bytes(bytes(raw))


def killed_at(step: int, call: str) -> bool:
    """Run the call in a process of its own that dies at the step; False if it ended before."""
    ran = subprocess.run([sys.executable, "-c", PROGRAM.format(call=call), str(step)], check=False)
    assert ran.returncode in (0, -signal.SIGKILL)
    return ran.returncode != 0


def test_a_backup_is_one_moment_while_others_write(tmp_path):
    database, copy = tmp_path / "hub.sqlite3", tmp_path / "copy.sqlite3"
    make(database, "old")
    with closing(sqlite3.connect(database, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM said")
        backups.back_up(database, copy)
        writer.execute("COMMIT")
    assert words(copy) == {"old"}
    assert copy.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.sqlite3", "hub.sqlite3"]


def test_a_backup_never_takes_the_place_of_a_file(tmp_path):
    make(tmp_path / "hub.sqlite3", "old")
    (tmp_path / "copy").write_text("mine")
    with pytest.raises(FileExistsError):
        backups.back_up(tmp_path / "hub.sqlite3", tmp_path / "copy")
    assert (tmp_path / "copy").read_text() == "mine"


def test_a_backup_that_is_killed_at_any_step_leaves_no_half_of_one(tmp_path):
    database, copy = tmp_path / "hub.sqlite3", tmp_path / "copy.sqlite3"
    make(database, "old")
    call = f"backups.back_up(pathlib.Path({str(database)!r}), pathlib.Path({str(copy)!r}))"
    step = 1
    while killed_at(step, call):
        assert not copy.exists() or words(copy) == {"old"}
        copy.unlink(missing_ok=True)
        step += 1
    assert step > 4
    assert words(copy) == {"old"}


def test_a_restore_that_is_killed_at_any_step_leaves_the_old_database_or_the_new_one(tmp_path):
    database, copy = tmp_path / "hub.sqlite3", tmp_path / "copy.sqlite3"
    make(copy, "new")
    call = (
        f"backups.restore(pathlib.Path({str(copy)!r}), pathlib.Path({str(database)!r}),"
        " now=datetime(2026, 1, 1, 0, 0, {step}, tzinfo=UTC))"
    )
    make(database, "old")
    found, step = [], 1
    while killed_at(step, call.format(step=step)):
        found.append(words(database))
        step += 1
    assert step > 6
    assert words(database) == {"new"}
    assert {"old"} in found
    assert all(each in ({"old"}, {"new"}) for each in found)


def test_a_restore_keeps_the_old_database_with_what_stood_in_its_log(tmp_path):
    database, copy = tmp_path / "hub.sqlite3", tmp_path / "copy.sqlite3"
    make(database, "old")
    make(copy, "new")
    kept = backups.restore(copy, database, now=NOW)
    assert (words(database), words(kept)) == ({"new"}, {"old"})


def test_a_restore_takes_the_place_of_a_damaged_database(tmp_path):
    database, copy = tmp_path / "hub.sqlite3", tmp_path / "copy.sqlite3"
    make(database, "old")
    make(copy, "new")
    damage(database)
    assert backups.trouble(database)
    (tmp_path / "hub.sqlite3-wal").write_bytes(b"what is left of a log")
    backups.restore(copy, database, now=NOW)
    assert words(database) == {"new"}
    assert backups.trouble(database) == ""


def test_a_database_that_is_open_elsewhere_is_not_replaced(tmp_path):
    database, copy = tmp_path / "hub.sqlite3", tmp_path / "copy.sqlite3"
    make(database, "old")
    make(copy, "new")
    with closing(Database.connect(database)) as other:  # two SQLites in one process would not see each other's locks
        other.execute("SELECT 1 FROM said").fetchone()
        with pytest.raises(backups.InUse):
            backups.restore(copy, database, now=NOW)
    assert words(database) == {"old"}
    assert not list(tmp_path.glob("*.restoring*"))


def test_a_restore_that_fails_leaves_no_copy_and_takes_away_what_a_killed_one_left(tmp_path):
    database, copy = tmp_path / "hub.sqlite3", tmp_path / "copy.sqlite3"
    make(database, "old")
    make(copy, "new")
    for end in ("", ".partial", "-journal"):
        (tmp_path / f"hub.sqlite3.restoring{end}").write_text("a copy of everything")

    def fail(_: object) -> None:
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        backups.restore(copy, database, now=NOW, prepare=fail)
    assert not list(tmp_path.glob("*.restoring*"))


def test_a_damaged_backup_is_not_restored(tmp_path):
    database, copy = tmp_path / "hub.sqlite3", tmp_path / "copy.sqlite3"
    make(database, "old")
    make(copy, "new")
    damage(copy)
    with pytest.raises((backups.Damaged, sqlite3.DatabaseError)):
        backups.restore(copy, database, now=NOW)
    assert words(database) == {"old"}
