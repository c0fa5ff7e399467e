"""A guild in which nothing happens costs no statement, and where something does, no step asks all rows twice."""

from __future__ import annotations

from contextlib import contextmanager
from unittest.mock import patch

import pytest
from django.db import connection

from memory import pipeline, tasks
from memory.curation import figures
from memory.index import embedded_to, embeddings
from memory.jobs import due_days
from memory.models import Action, Fact
from memory.records import snapshots
from memory.withdrawal import retention
from memoryhub.community.due_work import Work
from memoryhub.community.models import DueWork, Guild, GuildFigures
from notes.messages.schemas import GuildRef
from tests import toy_embedder
from tests.factories import NOON, days, make_fact, make_guild, make_member, make_message, minutes
from tests.incoming import north, say
from tests.verification.statements import recorded

pytestmark = pytest.mark.django_db


def chores(now) -> None:
    """Do all that is done for each guild, every few minutes or each night."""
    pipeline.tick(now=now)
    pipeline.learn_due(now=now)
    snapshots.render_recent(now=now)
    pipeline.consolidate_due(now=now)


def settle(guilds: int) -> None:
    """Have so many guilds in which somebody spoke long ago, and in which all is done."""
    for number in range(guilds):
        say("I live in Toronto.", guild=GuildRef(key=f"discord:{number}", name="North"))
    for day in range(3):
        for look in range(4):
            chores(NOON + days(day) + minutes(15 * look))


def test_five_silent_guilds_cost_what_none_does():
    settle(5)
    with recorded() as kept:
        chores(NOON + days(5))
    assert len(kept) == len(due_days.Phase.values) == 4, "\n".join(kept)  # a look for each kind of work


def test_what_keeps_everything_asks_a_silent_guild_once_a_day_and_leaves_no_trace():
    settle(1)
    before = Action.objects.count()
    with recorded() as kept:
        retention.apply_to_guild(make_guild("discord:0"), now=NOON + days(5))
    assert len(kept) == 2, "\n".join(kept)  # one of them finds the guild
    assert (Action.objects.count(), DueWork.objects.exclude(work=Work.POSTS).count()) == (before, 0)


def test_silent_days_before_the_first_word_are_not_asked_for_one_by_one(settings):
    say("I live in Toronto.")
    asked = []
    for number in (3, 30):
        settings.MEMORYHUB_CATCH_UP_DAYS = number
        with recorded() as kept:
            assert due_days.days_due(north(), now=NOON) == []
        asked.append(len(kept))
    assert asked[0] == asked[1]


def test_a_talk_between_silent_days_is_found(settings):
    settings.MEMORYHUB_CATCH_UP_DAYS = 7
    for back in (6, 3, 2):
        make_message(sent_at=NOON - days(back))
    assert due_days.days_due(make_guild(), now=NOON) == [(NOON - days(back)).date() for back in (6, 3, 2)]


def test_who_was_just_embedded_is_looked_through_once_a_tick(monkeypatch):
    toy_embedder.install(monkeypatch)
    say("I live in Toronto.")
    asked, missing = [], embedded_to.missing
    monkeypatch.setattr(embedded_to, "missing", lambda kind, **more: asked.append(kind) or missing(kind, **more))
    pipeline.tick(now=NOON)
    assert asked == ["fact", "note", "message"]
    assert not embeddings.are_missing()


def test_what_is_left_when_a_tick_has_embedded_enough_is_embedded_by_the_next(monkeypatch):
    toy_embedder.install(monkeypatch)
    monkeypatch.setattr(pipeline, "EMBEDDED_A_TICK", 2)
    guild = make_guild()
    for number in range(3):
        make_fact(f"Has {number} boats.", subject=make_member(guild))
    pipeline.tick(now=NOON)
    assert embeddings.are_missing()
    pipeline.tick(now=NOON + minutes(1))
    assert not embeddings.are_missing()


def test_who_helped_another_worker_has_the_guild_looked_at_once_more():
    guild = make_guild()
    DueWork.objects.all().delete()
    tasks.digest(guild.pk)
    assert DueWork.objects.filter(guild=guild, work=Work.MINUTE).exists()


def test_the_numbers_of_a_big_guild_are_counted_again_when_they_grew_old(monkeypatch):
    monkeypatch.setattr(figures, "ROWS_A_MINUTE", 1)
    for number in range(3):
        say("I live in Toronto.", id=f"m{number}", at=NOON)
    for after, messages in ((0, 3), (1, 3), (4, 4)):
        if after == 1:
            say("I work as a baker.", at=NOON + minutes(1))
        pipeline.tick(now=NOON + minutes(after))
        assert GuildFigures.objects.get().numbers["messages"] == messages
        assert DueWork.objects.get(work=Work.MINUTE).at <= NOON + minutes(15)


def test_a_quiet_guild_whose_numbers_are_old_is_looked_at_when_they_may_be_counted(monkeypatch):
    monkeypatch.setattr(figures, "ROWS_A_MINUTE", 1)
    guild = make_guild()
    make_message(processed_at=NOON), make_message(processed_at=NOON)
    figures.count(guild, now=NOON)
    with recorded() as kept:
        assert figures.count(guild, now=NOON + minutes(1)) == NOON + minutes(2)
    assert len(kept) == 1
    assert figures.count(guild, now=NOON + minutes(2)) is None


def test_a_snapshot_reads_no_more_facts_than_it_may_show():
    alice, bob = make_member(), make_member(name="Bob")
    for number in range(20):
        for member in (alice, bob):
            make_fact(f"Has {number} boats.", subject=member, confidence=0.5 + number / 50)
    make_fact("Drinks tea.", subject=alice, pinned=True)
    with facts_read() as read:
        text = snapshots.snapshot_text(make_guild(), now=NOON)
    assert len(read) == 2 * snapshots.READ_A_PERSON
    assert text.index("Drinks tea.") < text.index("Has 19 boats.") < text.index("Has 18 boats.")
    assert (text.count("**Alice**"), text.count("**Bob**"), text.count("Has 1 boats.")) == (1, 1, 0)


@contextmanager
def facts_read():
    """Collect the facts that are read as rows."""
    read, from_db = [], Fact.from_db.__func__

    def kept(cls, *values):
        read.append(cls)
        return from_db(cls, *values)

    with patch.object(Fact, "from_db", classmethod(kept)):
        yield read


def test_whether_facts_grew_old_is_asked_without_reading_them():
    for number in range(3):
        make_fact(f"Has {number} boats.", confidence=0.4, said_at=NOON - days(900))
    with facts_read() as read:
        assert due_days.days_due(make_guild(), now=NOON) == [(NOON - days(1)).date()]
    assert read == []


def test_retention_looks_at_each_guild_by_itself():
    old = make_guild("discord:2", call_days=30)
    make_guild("discord:1")
    old.model_calls.create(purpose="note", model="m", outcome="ok", at=NOON - days(40))
    assert retention.apply_retention(now=NOON) == Guild.objects.count()
    assert not old.model_calls.exists()
    assert [line.guild_id for line in Action.objects.filter(kind="retention")] == [old.pk]


def test_a_guild_whose_retention_fails_stops_none_of_the_later_ones(monkeypatch):
    broken, fine = (make_guild(f"discord:{number}", call_days=30, journal_days=30) for number in (1, 2))
    for guild in (broken, fine):
        guild.model_calls.create(purpose="note", model="m", outcome="ok", at=NOON - days(40))
    drop = snapshots.drop_journals_before
    monkeypatch.setattr(
        snapshots, "drop_journals_before", lambda guild, *given: 1 / 0 if guild == broken else drop(guild, *given)
    )
    assert retention.apply_retention(now=NOON) == 1
    assert (broken.model_calls.count(), fine.model_calls.count()) == (1, 0)
    failure = Action.objects.get(kind="bot_error")
    assert (failure.guild, failure.detail) == (broken, {"scope": "memory_retention", "error": "ZeroDivisionError"})


@pytest.mark.sqlite_only("what PostgreSQL plans hangs on how many rows there are")
@pytest.mark.parametrize("chore", [pipeline.learn_due, pipeline.tick])
def test_what_waits_to_be_read_is_found_without_a_look_at_what_was_read(chore):
    make_guild(extraction_mode="batch")
    say("I live in Toronto.")
    with asked_with_values() as kept:
        chore(now=NOON + minutes(6))
    waiting = [(sql, params) for sql, params in kept if '"processed_at" IS NULL' in sql and sql.startswith("SELECT")]
    assert waiting
    for sql, params in waiting:
        with connection.cursor() as cursor:
            plan = [row[3] for row in cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params).fetchall()]
        messages = [line for line in plan if "notes_message" in line]
        assert not [line for line in messages if "author_time" in line or "guild_time" in line], "\n".join([sql, *plan])


@contextmanager
def asked_with_values():
    """Collect the statements with their values."""
    kept = []

    def keep(execute, sql, params, many, context):
        kept.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(keep):
        yield kept
