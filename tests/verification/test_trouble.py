"""A database that is locked or full: a caller waits or is told to come back; what was acknowledged stays."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from django.db import connection

from memoryhub.db.sqlitevec.driver import Database
from notes.models import Message
from tests.api_client import PROBLEM, a_message, api_for
from tests.verification.hub import DATABASE, PATIENCE, a_hub, kill_group, until

GUILD = "discord:1"
PATH = f"/api/v1/guilds/{GUILD}/messages"
HELD = 2.0  # seconds
MANY = 100  # posts at once
GIVES_UP = 15.0  # seconds; the commands that nobody waits for wait longer for a lock
BIG = "x" * 90_000
FULL = 65_536  # bytes: a log and the database's shared memory fit, what BIG needs does not


@contextmanager
def locked(path: str | Path) -> Iterator[None]:
    """Hold the database's write lock on another connection.

    By the hub's own driver: two libraries of SQLite in one process do not see each other's locks.
    """
    with closing(Database.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        yield
        holder.execute("ROLLBACK")


def stored(folder: Path) -> set[str]:
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        return {name for (name,) in database.execute("SELECT platform_id FROM notes_message")}


def test_while_the_database_is_locked_for_a_moment_a_post_waits_and_succeeds(tmp_path):
    with a_hub(tmp_path) as hub:
        hub.serve()
        assert hub.call("POST", PATH, a_message(1)).status == 201
        answers: list[int] = []
        caller = threading.Thread(
            target=lambda: answers.append(hub.call("POST", PATH, a_message(2)).status), daemon=True
        )
        with locked(tmp_path / DATABASE):
            reader = hub.call("GET", f"/api/v1/guilds/{GUILD}/search?q=Toronto")
            caller.start()
            threading.Event().wait(HELD)
            waiting = not answers
        caller.join(PATIENCE)
        assert waiting
        assert answers == [201]
        assert reader.status == 200
        assert stored(tmp_path) == {"m-1", "m-2"}


def test_posts_do_not_wait_for_a_lock_until_their_callers_give_up(tmp_path, monkeypatch):
    with a_hub(tmp_path) as hub:
        hub.serve()
        assert hub.call("POST", PATH, a_message(1)).status == 201
        monkeypatch.setattr("tests.verification.hub.PATIENCE", GIVES_UP)
        with locked(tmp_path / DATABASE), ThreadPoolExecutor(MANY) as bots:
            answers = list(bots.map(lambda n: hub.call("POST", PATH, a_message(n)), range(2, MANY + 2)))
        assert {(answer.status, answer.headers["Content-Type"]) for answer in answers} == {(503, PROBLEM)}
        assert all(int(answer.headers["Retry-After"]) > 0 for answer in answers)
        assert stored(tmp_path) == {"m-1"}


@pytest.mark.usefixtures("shared_database")
def test_a_database_locked_for_longer_is_told_with_retry_after_and_nothing_is_half_done():
    bot = api_for(scope="write")
    assert bot.post(f"{GUILD}/messages", a_message(1)).status_code == 201
    connection.cursor().execute("PRAGMA busy_timeout = 50")
    try:
        with locked(connection.settings_dict["NAME"]):
            refused = bot.post(f"{GUILD}/messages", a_message(2))
            found = bot.get(f"{GUILD}/search", q="Toronto")
    finally:
        connection.close()
    assert (refused.status_code, refused["Content-Type"]) == (503, PROBLEM)
    assert int(refused["Retry-After"]) > 0
    assert found.status_code == 200
    assert set(Message.objects.values_list("platform_id", flat=True)) == {"m-1"}
    assert bot.post(f"{GUILD}/messages", a_message(2)).status_code == 201


@pytest.mark.usefixtures("shared_database")
def test_a_full_database_is_told_and_reading_goes_on():
    bot = api_for(scope="write")
    assert bot.post(f"{GUILD}/messages", a_message(1)).status_code == 201
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # no free page left inside the file
        cursor.execute("PRAGMA page_count")
        (pages,) = cursor.fetchone()
        cursor.execute(f"PRAGMA max_page_count = {pages}")
    try:
        refused = bot.post(f"{GUILD}/messages", a_message(2, BIG))
        found = bot.get(f"{GUILD}/search", q="Toronto")
    finally:
        connection.close()
    assert (refused.status_code, refused["Content-Type"]) == (503, PROBLEM)
    assert int(refused["Retry-After"]) > 0
    assert "disk is full" in refused.json()["detail"].lower()
    assert found.status_code == 200
    assert found.json()["items"]
    assert set(Message.objects.values_list("platform_id", flat=True)) == {"m-1"}
    assert bot.post(f"{GUILD}/messages", a_message(2, BIG)).status_code == 201


def test_when_no_file_can_grow_any_more_posts_fail_cleanly_and_go_on_afterwards(tmp_path):
    with a_hub(tmp_path) as hub:
        roomy = hub.serve()
        acknowledged = {f"m-{n}" for n in range(5) if hub.call("POST", PATH, a_message(n)).status == 201}
        kill_group(roomy)
        full = hub.serve(file_size=FULL)
        refused = hub.call("POST", PATH, a_message(99, BIG))
        read = hub.call("GET", f"/api/v1/guilds/{GUILD}/search?q=Toronto")
        kill_group(full)
        assert refused.status == 503
        assert refused.headers["Content-Type"] == PROBLEM
        assert read.status == 200
        assert read.json["items"]
        hub.serve()
        until(lambda: hub.call("POST", PATH, a_message(99, BIG)).status in (200, 201), "posting goes on")
        assert stored(tmp_path) == acknowledged | {"m-99"}
        assert len(acknowledged) == 5
