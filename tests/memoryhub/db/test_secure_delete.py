"""The database's own files, read without harm to the connections of this process."""

import subprocess
import sys

import pytest
from django.db import connection, transaction

from memoryhub import db

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite_only("bytes of its file")]

WRITE = """
import sys
from memoryhub.db.sqlitevec.driver import Database
Database.connect(sys.argv[1], isolation_level=None, timeout=0).execute("BEGIN IMMEDIATE")
"""


def another_process_may_write() -> bool:
    path = str(connection.settings_dict["NAME"])
    ended = subprocess.run([sys.executable, "-c", WRITE, path], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0 or "locked" in ended.stderr
    return ended.returncode == 0


def test_all_that_is_in_the_files_is_read():
    db.run("CREATE TABLE IF NOT EXISTS told (text)")
    db.run("INSERT INTO told VALUES ('a red kayak')")
    read = b"".join(block for path in db.files() for block in db.read_blocks(path, 1000))
    db.run("DROP TABLE told")
    assert b"a red kayak" in read
    assert len(read) >= db.size()


def test_a_file_that_is_gone_is_empty(tmp_path):
    assert list(db.read_blocks(tmp_path / "gone", 1000)) == []


def test_reading_the_files_takes_no_lock_from_who_writes():
    assert another_process_may_write()
    with transaction.atomic():
        db.run("CREATE TABLE IF NOT EXISTS told (text)")
        for path in db.files():
            list(db.read_blocks(path, 1 << 20))
        assert not another_process_may_write()
    db.run("DROP TABLE told")
