"""A command that meets a database without its tables says what to do, and changes nothing."""

from __future__ import annotations

import sqlite3

import pytest

from tests.verification.hub import Hub

COMMANDS = ("digest", "consolidate")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_database_that_is_not_migrated_is_told_in_words(tmp_path, command):
    ran = Hub(tmp_path).manage(command)
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    assert "Run `manage.py migrate` first" in ran.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_no_database_is_told_in_words(tmp_path, command):
    (tmp_path / "memoryhub.sqlite3").write_bytes(b"not a database at all, " * 400)
    ran = Hub(tmp_path).manage(command)
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    assert "`manage.py doctor` says what is wrong" in ran.stderr
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(tmp_path / "memoryhub.sqlite3").execute("SELECT 1 FROM x")
