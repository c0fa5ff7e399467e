"""A real streaming replica: it answers questions, tells nothing that is old or forgotten, and can take over."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from urllib.parse import quote

import psycopg
import pytest

from tests.api_client import a_message
from tests.postgres import Server
from tests.verification.hub import Hub, until

GUILD = "/api/v1/guilds/discord:1"
PAGES = """
from django.contrib.auth.models import User
from django.test import Client
from memoryhub.db import replica
replica.WAITS = 10.0  # a busy machine's replica may come late; what is looked for here is a page that writes
client = Client(headers={"host": "localhost"})
client.force_login(User.objects.create_superuser("root"))
for page in ("memories", "notes", "channels", "members", "graph", "actions"):
    print(client.get(f"/{page}/").status_code)
print(replica._aside_until)
"""
SURE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
TOLD = {"log_min_messages": "log", "log_statement": "all"}


class Pair:
    """A primary, its replica, and a hub on both."""

    def __init__(self, primary: Server, replica: Server, hub: Hub) -> None:
        self.primary, self.replica, self.hub = primary, replica, hub

    def on_replica(self, statement: str) -> None:
        with psycopg.connect(self.replica.url, autocommit=True) as connection:
            connection.execute(statement)

    def remember(self, text: str) -> int:
        answer = self.hub.call("POST", f"{GUILD}/facts", {"text": text, "lore": True})
        assert answer.status == 201, answer.text
        return answer.json["id"]

    def found(self, question: str) -> list[str]:
        answer = self.hub.call("GET", f"{GUILD}/search?kind=fact&q={quote(question)}")
        assert answer.status == 200, answer.text
        return [each["text"] for each in answer.json["items"]]

    def read_there(self) -> int:
        """Return how many statements about facts the replica has logged."""
        return (self.replica.folder / "log").read_text(errors="replace").count("memory_fact")


@pytest.fixture(scope="module")
def pair(tmp_path_factory) -> Iterator[Pair]:
    """Return one for all tests: each leaves both servers as they were, but for the last."""
    tmp_path = tmp_path_factory.mktemp("hub")
    primary = Server(**SURE).start()
    replica = primary.replica(**SURE, **TOLD).start()
    hub = Hub(tmp_path, changes={"DATABASE_URL": primary.url, "DATABASE_REPLICA_URL": replica.url})
    hub.changes["MEMORYHUB_EMBEDDING_MODEL"] = "none"
    migrated = hub.manage("migrate", "--verbosity", "0")
    assert migrated.returncode == 0, migrated.stderr
    hub.key = hub.manage("create_api_key", "test", "--scope", "admin").stdout.split()[-1]
    hub.serve()
    assert hub.call("POST", f"{GUILD}/messages", a_message(99_999)).status == 201
    yield Pair(primary, replica, hub)
    hub.stop()
    replica.remove()
    primary.remove()


def test_the_replica_answers_and_tells_neither_what_is_old_nor_what_is_forgotten(pair):
    for number in range(5):
        words = f"The lighthouse number {number} is painted green."
        pair.remember(words)
        assert words in pair.found(f"lighthouse number {number}"), "whoever wrote reads it"
    assert pair.read_there()
    doctor = pair.hub.manage("doctor").stdout
    pair.on_replica("SELECT pg_wal_replay_pause()")  # as if it were far behind
    forgotten = pair.remember("The harbour master keeps two parrots.")
    assert "The harbour master keeps two parrots." in pair.found("parrots")
    behind = pair.hub.manage("doctor").stdout
    assert pair.hub.call("DELETE", f"{GUILD}/facts/{forgotten}").status == 204
    assert "parrots" not in str(pair.found("parrots harbour master"))
    pair.on_replica("SELECT pg_wal_replay_resume()")
    before = pair.read_there()
    until(lambda: pair.found("lighthouse") and pair.read_there() > before, "the replica is read again")
    assert "parrots" not in str(pair.found("parrots harbour master"))
    assert "DATABASE_REPLICA_URL" not in doctor
    assert "It is behind by more than a second." in behind


def test_the_lists_of_the_dashboard_are_read_there_and_write_nothing(pair):
    pair.remember("The bakery is painted blue.")
    before = pair.read_there()
    looked = pair.hub.manage("shell", "--no-imports", "-c", PAGES)
    assert looked.stdout.split() == ["200"] * 6 + ["0.0"], looked.stderr
    assert pair.read_there() > before


def test_without_its_replica_the_hub_goes_on(pair):
    pair.remember("The windmill is painted white.")
    pair.replica.stop(signal.SIGKILL)
    assert "The windmill is painted white." in pair.found("windmill")
    away = pair.hub.manage("doctor").stdout
    pair.replica.start()
    assert "DATABASE_REPLICA_URL is not read: No server answers" in away


def test_another_server_is_no_replica(pair, monkeypatch):
    other = Server().start()
    monkeypatch.setitem(pair.hub.changes, "DATABASE_REPLICA_URL", other.url)
    told = pair.hub.manage("doctor").stdout
    other.remove()
    assert "It is no replica of the server in DATABASE_URL" in told


def test_when_the_primary_dies_under_load_its_replica_takes_over_with_all_that_was_acknowledged(pair):
    with psycopg.connect(pair.primary.url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        connection.execute("SELECT pg_reload_conf()")
    kept: list[int] = []
    numbers, dead = iter(range(10_000)), threading.Event()

    def send() -> None:
        while not dead.is_set():
            number = next(numbers)
            if pair.hub.call("POST", f"{GUILD}/messages", a_message(number)).status == 201:
                kept.append(number)

    senders = [threading.Thread(target=send) for _ in range(3)]
    for sender in senders:
        sender.start()
    until(lambda: len(kept) > 40, "the load is on")
    pair.primary.stop(signal.SIGKILL)
    dead.set()
    for sender in senders:
        sender.join()
    pair.on_replica("SELECT pg_promote()")
    pair.hub.stop()
    pair.hub.changes |= {"DATABASE_URL": pair.replica.url, "DATABASE_REPLICA_URL": ""}
    pair.hub.serve()
    assert {pair.hub.call("GET", f"{GUILD}/messages/m-{number}").status for number in kept} == {200}
    assert pair.hub.call("POST", f"{GUILD}/messages", a_message(20_000)).status == 201
