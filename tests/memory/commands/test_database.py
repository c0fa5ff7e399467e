"""A command that meets a database without its tables says what to do, and changes nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.verification.hub import DATABASE, Hub

COMMANDS = ("digest", "consolidate", "parked")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_database_that_is_not_migrated_is_told_in_words(tmp_path, command):
    with closing(sqlite3.connect(tmp_path / DATABASE)) as database:
        database.execute("CREATE TABLE django_migrations (id integer, app text, name text, applied text)")
    ran = Hub(tmp_path).manage(command)
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    assert "Run `manage.py migrate` first" in ran.stderr


def test_the_first_command_of_a_fresh_installation_makes_the_database(tmp_path):
    ran = Hub(tmp_path).manage("create_api_key", "bot", "--guild", "irc:ubuntu")
    assert (ran.returncode, ran.stderr) == (0, "")
    asked = Hub(tmp_path).manage("recall", "who is here?", "--guild", "irc:ubuntu")
    assert (asked.returncode, asked.stdout.strip()) == (0, "Nothing found.")


def test_a_question_to_a_database_that_is_not_there_is_answered_in_words(tmp_path):
    ran = Hub(tmp_path).manage("recall", "who is here?", "--guild", "irc:ubuntu")
    assert ran.returncode == 1
    assert "No guild irc:ubuntu is known." in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("command", "told"),
    [("parked", "Parked: 0 messages"), ("rebuild_profiles --guild irc:ubuntu", "No guild irc:ubuntu is known.")],
)
def test_no_command_calls_a_fresh_installation_broken(tmp_path, command, told):
    ran = Hub(tmp_path).manage(*command.split())
    assert told in ran.stdout + ran.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_no_database_is_told_in_words(tmp_path, command):
    (tmp_path / "memoryhub.sqlite3").write_bytes(b"not a database at all, " * 400)
    ran = Hub(tmp_path).manage(command)
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    assert "`manage.py doctor` says what is wrong" in ran.stderr
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(tmp_path / "memoryhub.sqlite3").execute("SELECT 1 FROM x")
