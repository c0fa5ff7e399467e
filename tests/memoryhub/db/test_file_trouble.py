"""What befell the database is said in an operator's words, a full disk first of all."""

from __future__ import annotations

import errno
from collections import namedtuple

import pytest
from django.core.checks import run_checks
from django.db import OperationalError, connection

from memoryhub.db.sqlitevec import file_trouble
from memoryhub.db.trouble import explain, is_of_the_database

pytestmark = pytest.mark.sqlite_only("words of its errors")

Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(
    ("error", "free", "full"),
    [
        (OperationalError("database or disk is full"), 1 << 30, True),
        (OperationalError("disk I/O error"), 0, True),
        (OperationalError("unable to open database file"), 0, True),
        (OperationalError("disk I/O error"), 1 << 30, False),
        (OperationalError("database is locked"), 0, False),
        (OSError(errno.ENOSPC, "No space left on device"), 1 << 30, True),
        (PermissionError(errno.EACCES, "Permission denied"), 0, False),
    ],
)
def test_a_full_disk_is_told_from_other_troubles(monkeypatch, error, free, full):
    monkeypatch.setattr(file_trouble.shutil, "disk_usage", lambda _: Usage(100, 0, free))
    assert file_trouble.is_full(error) == full
    assert ("The disk is full" in file_trouble.explain(error)) == full


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("database disk image is malformed", "manage.py restore FILE"),
        ("file is not a database", "manage.py restore FILE"),
        ("database is locked", "keeps the database busy"),
        ("attempt to write a readonly database", "Is it yours"),
        ("something new", "manage.py doctor"),
    ],
)
def test_each_trouble_is_told_with_what_to_do(words, meaning):
    assert meaning in file_trouble.explain(OperationalError(words))


def test_a_database_that_can_not_be_opened_is_not_blamed_on_the_vector_extension(monkeypatch):
    def full():
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(connection, "ensure_connection", full)
    messages = {message.id: message.msg for message in run_checks()}
    assert "The disk is full" in messages["memoryhub.E002"]
    assert "memoryhub.W002" not in messages


def test_a_file_of_the_data_folder_that_may_not_be_written_is_the_operators_to_mend(settings):
    lock = str(settings.DATA_DIR / "run.lock")
    refused = PermissionError(errno.EACCES, "Permission denied", lock)
    assert is_of_the_database(refused)
    assert explain(refused).startswith(f"{lock} cannot be used: Permission denied. Let the user of the hub")
    assert not is_of_the_database(PermissionError(errno.EACCES, "Permission denied", "/etc/shadow"))
    assert not is_of_the_database(FileNotFoundError(errno.ENOENT, "No such file or directory", lock))
