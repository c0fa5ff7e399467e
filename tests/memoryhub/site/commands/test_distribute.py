"""The tables of guilds are cut by guild, all or none, with their rows, keys and indexes; the hub goes on working."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memory import erasure, pipeline
from memory.models import Evidence, Fact
from memory.recall.search import recall
from memoryhub.community.models import Member
from memoryhub.db.guild_scope import columns
from notes.models import Message
from tests.factories import NOON, make_channel, make_fact, make_guild, make_message, make_note
from tests.incoming import SOUTH, north, say

NOW = NOON + timedelta(hours=5)
pytestmark = pytest.mark.django_db
only_on_postgres = pytest.mark.postgres_only("SQLite's tables cannot be cut")
PARTED = "SELECT relname FROM pg_class WHERE relkind = 'p' AND relnamespace = current_schema()::regnamespace"
KEYS = """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(pg_constraint.oid) FROM pg_constraint
    JOIN pg_class ON pg_class.oid = conrelid
    WHERE contype IN ('p', 'u', 'f', 'c') AND conparentid = 0 AND NOT relispartition
        AND connamespace = current_schema()::regnamespace ORDER BY 1, 2"""
INDEXES = """SELECT replace(indexdef, ' ON ONLY ', ' ON ') FROM pg_indexes JOIN pg_class ON pg_class.relname = tablename
    WHERE NOT relispartition AND schemaname = current_schema() ORDER BY 1"""


def ask(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def distribute(**options):
    out = StringIO()
    call_command("distribute", stdout=out, **options)
    return out.getvalue()


def talk():
    for number, text in enumerate(("I live in Toronto and I work at the museum.", "My favourite food is ramen.")):
        say(text, "Alice", id=f"m-{number}", at=NOON + timedelta(minutes=number))
        say(text, "Bob", id=f"m-{number}", at=NOON + timedelta(minutes=number), guild=SOUTH)
    pipeline.digest(None, now=NOW)


@pytest.mark.sqlite_only("PostgreSQL can be cut")
def test_sqlite_is_told_to_be_one_file():
    with pytest.raises(CommandError, match="cannot be spread"):
        distribute(partitions=4)


@only_on_postgres
def test_a_full_database_is_cut_with_all_its_rows_keys_and_indexes():
    for guild in (make_guild(), make_guild("discord:2")):
        said = [make_message(channel=make_channel(guild)) for _ in range(20)]
        make_fact(subject=said[0].author, evidence=said)
        make_note(messages=said)
    newest = Message.objects.latest("pk").pk
    before = Message.objects.count(), Fact.objects.count(), Evidence.objects.count()
    keys, indexes = ask(KEYS), ask(INDEXES)
    assert "Done" in distribute(partitions=2)
    assert {name for (name,) in ask(PARTED)} >= columns().keys()
    assert (Message.objects.count(), Fact.objects.count(), Evidence.objects.count()) == before
    assert ask(KEYS) == keys
    assert ask(INDEXES) == indexes
    assert make_message().pk > newest


@only_on_postgres
def test_the_hub_goes_on_in_partitions():
    talk()
    distribute(partitions=2)
    say("I moved to Montreal last spring.", "Alice", id="m-9", at=NOON + timedelta(minutes=9))
    pipeline.digest(north(), now=NOW)
    pipeline.consolidate(north(), day=NOON.date(), now=NOW)
    assert recall(north(), question="Where does Alice live?", now=NOW)
    erasure.erase_now(Member.objects.of(north()).get(platform_id="u-alice"), now=NOW, by="operator:test")
    assert not Message.objects.of(north()).exists()
    assert Message.objects.count() == 2


@only_on_postgres
def test_a_dry_run_says_what_it_would_do_and_does_nothing():
    told = distribute(partitions=2, dry_run=True)
    assert 'PARTITION OF "notes_message"' in told
    assert "Nothing was changed." in told
    assert ask(PARTED) == []


@only_on_postgres
def test_what_is_cut_already_is_left_alone():
    distribute(partitions=2)
    with pytest.raises(CommandError, match="already"):
        distribute(partitions=2)


@only_on_postgres
@pytest.mark.parametrize(
    ("options", "words"), [({}, "no Citus"), ({"partitions": 1}, "from 2"), ({"partitions": 900}, "locks")]
)
def test_what_cannot_be_done_is_said_in_a_sentence(options, words):
    with pytest.raises(CommandError, match=words):
        distribute(**options)
    assert ask(PARTED) == []
