"""Everything moves into another database as it is, whatever is killed on the way."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from itertools import count
from multiprocessing import active_children
from pathlib import Path
from threading import Thread
from uuid import uuid4

import psycopg
import pytest
from django.contrib.contenttypes.models import ContentType
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from memory import pipeline
from memory.index import embeddings, reindexing
from memory.models import ClientData, Fact
from memoryhub import db
from memoryhub.community.models import Guild
from memoryhub.site.moving import move
from memoryhub.site.moving import stored_rows as rows
from notes.models import Message
from tests import toy_embedder
from tests.factories import NOON, days, make_fact, minutes
from tests.incoming import NORTH, incoming, say
from tests.postgres import Server
from tests.verification.dying import KILLED, begin, die, end
from tests.verification.hub import Hub, a_hub, kill_group

pytestmark = pytest.mark.usefixtures("said")
TALK = [
    ("Alice", "I moved to Toronto last spring and I work at the city library now, right by the harbour."),
    ("Bob", "I live in Lisbon and I play the cello every evening, mostly Bach and a little Elgar."),
    ("Alice", "My sister Ana is a nurse. I am learning Portuguese for the exam in June, it is hard work."),
    ("Bob", "I hate coriander, so no coriander at the picnic on Sunday, please remember that all of you."),
]
_numbers = count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server().start()
    yield server
    server.remove()


@pytest.fixture(params=["postgres", "sqlite"])
def url(request, server, tmp_path) -> str:
    """Return the address of an empty database."""
    return empty(server) if request.param == "postgres" else f"sqlite:///{tmp_path / 'new.sqlite3'}"


@pytest.fixture
def said(transactional_db, monkeypatch, tmp_path) -> Guild:
    """Let a guild hear a talk, learn from it, and have a night."""
    monkeypatch.setenv("MEMORYHUB_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(move, "AT_ONCE", 20)
    toy_embedder.install(monkeypatch)
    ContentType.objects.clear_cache()
    messages = [incoming(text, who, id=f"m-{at}", at=NOON + minutes(at)) for at, (who, text) in enumerate(TALK)]
    pipeline.receive_many(messages, guild=NORTH, now=NOON + minutes(5))
    guild = Guild.objects.get(key=NORTH.key)
    pipeline.digest(guild, now=NOON + minutes(90))
    old = make_fact("Lives in Ottawa.", subject=Fact.objects.exclude(subject=None)[0].subject)
    Fact.objects.filter(pk=old.pk).update(status="archived", replaced_by=Fact.objects.exclude(pk=old.pk)[0])
    pipeline.consolidate(guild, day=NOON.date(), now=NOON + days(1))
    embeddings.embed_missing(100)
    return guild


def empty(server: Server) -> str:
    """Make a database of its own."""
    name = f"moved_{next(_numbers)}"
    with psycopg.connect(server.url, autocommit=True) as connected:
        connected.execute(f"CREATE DATABASE {name}")
    return server.url_of(name)


def held() -> dict[str, tuple[int, str]]:
    """Return the count and the sum of every table of this database."""
    return {
        model._meta.label_lower: rows.add_up(model._base_manager.values_list(*rows.names(model)))
        for model in rows.models()
    }


def hub_on(url: str, folder: Path) -> Hub:
    return Hub(folder, changes={"DATABASE_URL": url, "MEMORYHUB_EMBEDDING_MODEL": "none"})


def test_every_row_moves_with_its_words_and_embeddings_and_new_ones_get_free_ids(url, tmp_path):
    before, sets = held(), move.vectors.sets()
    assert move.move(url) == sum(rows for rows, _ in before.values())
    assert held() == before
    told = hub_on(url, tmp_path).manage("shell", "--no-imports", "-c", f"{ASKED}; print(told())")
    assert sets
    assert told.stdout.strip() == str((True, [move.vectors.count(kind=kind, model=model) for kind, model in sets], 1))
    found = hub_on(url, tmp_path).manage("recall", "who plays the cello?", "--guild", NORTH.key)
    assert "cello" in found.stdout, found.stderr


def test_what_a_client_of_mem0_handed_over_moves_be_it_with_a_message_or_a_fact(url, said):
    for hangs_on in ({"message": Message.objects.all()[0]}, {"fact": Fact.objects.all()[0]}):
        ClientData.objects.create(guild=said, event=uuid4(), **hangs_on)
    assert move.move(url) == sum(rows for rows, _ in held().values())


ASKED = "from tests.memoryhub.site.moving.test_move import held, told"


def told() -> tuple[bool, list[int], int]:
    """Return, in the new database, if its indexes are whole, how much is embedded, and how many a new message is."""
    vectors, before = move.vectors, Message.objects.count()
    counted = [vectors.count(kind=kind, model=model) for kind, model in vectors.sets()]
    whole = all(finding.ok for finding in reindexing.check())
    say("I moved to Porto.", id="new")
    return whole, counted, Message.objects.count() - before


def test_what_moved_there_and_on_is_what_it_was(server, tmp_path):
    there, back = empty(server), f"sqlite:///{tmp_path / 'back.sqlite3'}"
    moved = move.move(there)
    on = hub_on(there, tmp_path).manage("move_database", "--to", back)
    assert f"{moved:,} rows" in on.stdout, on.stderr
    there = hub_on(back, tmp_path).manage("shell", "--no-imports", "-c", f"{ASKED}; print(list(held().values()))")
    assert there.stdout.strip() == str(list(held().values()))


def test_postgresql_knows_at_once_how_many_rows_it_has_got(server):
    move.move(url := empty(server))
    with psycopg.connect(url) as there:
        counted = {name for (name,) in there.execute("SELECT DISTINCT tablename FROM pg_stats")}
    assert {"memory_fact", "notes_message", "memoryhub_words_v1_fact"} <= counted


def test_a_running_hub_is_not_moved_but_what_would_move_is_told(tmp_path):
    there = f"sqlite:///{tmp_path / 'new.sqlite3'}"
    with a_hub(tmp_path / "old") as hub:
        web = hub.serve()
        refused, looked = (hub.manage("move_database", "--to", there, *more) for more in ([], ["--dry-run"]))
        written = list(tmp_path.glob("new.sqlite3*"))
        kill_group(web)
        moved = hub.manage("move_database", "--to", there)
    assert "The hub is running. Stop it first" in refused.stderr
    assert "rows would be moved" in looked.stdout
    assert (refused.returncode, looked.returncode, moved.returncode, written) == (1, 0, 0, [])


@pytest.mark.parametrize("times", [3, 40])
def test_a_move_that_is_killed_goes_on_when_it_is_called_again(server, times):
    url, steps = empty(server), count(1)
    assert end(begin(lambda: move.move(url, lambda *_: die() if next(steps) == times else None))) == KILLED
    assert move.move(url) == sum(rows for rows, _ in held().values())


def test_a_writing_process_that_is_killed_is_told_and_the_move_goes_on(server):
    url, steps = empty(server), count(1)

    def kill(*_: object) -> None:
        if next(steps) == 9:
            os.kill(active_children()[0].pid, signal.SIGKILL)

    with pytest.raises(move.Failed, match="Run the same command again"):
        move.move(url, kill)
    assert move.move(url)


def test_a_database_that_holds_anything_is_refused_and_left_alone(server):
    url = empty(server)
    with psycopg.connect(url, autocommit=True) as connected:
        connected.execute("CREATE TABLE theirs (id int)")
        with pytest.raises(move.Failed, match="not empty"):
            move.move(url)
        tables = connected.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert tables == [("theirs",)]


def test_nobody_writes_to_the_old_database_meanwhile(server):
    ended: list[str] = []

    def write() -> None:
        try:
            with db.wait_at_most(100):
                Guild.objects.update(name="Other")
        except OperationalError:
            ended.append("refused")
        finally:
            connection.close()

    def try_once(*_: object) -> None:
        if not ended:
            writer = Thread(target=write)
            writer.start()
            writer.join()

    move.move(empty(server), try_once)
    assert ended == ["refused"]


def test_no_hub_works_on_a_database_that_is_half_moved(server, tmp_path):
    url = empty(server)
    with pytest.raises(OperationalError):
        move.move(url, fail)
    told = hub_on(url, tmp_path).manage("digest")
    assert "A move into this database is not finished" in told.stderr


def fail(*_: object) -> None:
    raise OperationalError


def test_what_changed_between_two_calls_is_told(server):
    url, steps = empty(server), count(1)
    with pytest.raises(OperationalError):
        move.move(url, lambda *_: fail() if next(steps) > 45 else None)
    Guild.objects.update(name="Changed")
    with pytest.raises(move.Failed, match="differ in community_guild"):
        move.move(url)


def test_a_text_with_a_zero_character_moves_without_it(server):
    if connection.vendor == "sqlite":
        Guild.objects.update(name="No\0rth")
    assert move.move(empty(server))


def test_a_dry_run_counts_what_would_move_and_writes_nothing(url, tmp_path, capsys):
    call_command("move_database", "--to", url, "--dry-run")
    rows = sum(count for count, _ in held().values())
    assert f"{rows:,} rows would be moved" in capsys.readouterr().out
    assert not list(tmp_path.glob("new.sqlite3*"))
    assert move.move(url) == rows


def test_a_dry_run_refuses_what_a_move_would_and_tells_how_far_one_came(url):
    steps = count(1)
    with pytest.raises(OperationalError):
        move.move(url, lambda *_: fail() if next(steps) > 20 else None)
    assert sum(moved for _, _, moved in move.plan(url)) > 0
    move.move(url)
    with pytest.raises(CommandError, match="is not empty"):
        call_command("move_database", "--to", url, "--dry-run")


def test_an_address_that_leads_nowhere_is_told(tmp_path):
    addresses = {
        "mysql://x/y": "names no database that the hub knows",
        "postgres://hub@127.0.0.1:1/none": "Is the server running",
        "": "names no database that the hub knows",
    }
    # By a hub of its own: of what tests before have done here, a thread may have the database open still.
    with a_hub(tmp_path) as hub:
        told = {address: hub.manage("move_database", "--to", address).stderr for address in addresses}
    assert [says for address, says in addresses.items() if says not in told[address]] == [], told
    assert "DATABASE_URL" not in "".join(told.values())  # the address is that of --to


def test_a_row_comes_after_all_that_it_links_to_but_rows_of_its_own_table():
    place = rows.models().index
    for model in rows.models():
        linked = {each.related_model for each in rows.fields(model) if isinstance(each.related_model, type)}
        assert all(place(other) < place(model) for other in linked - {model})
