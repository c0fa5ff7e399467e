"""What is due by guild: who writes marks, who looks puts off, and neither loses the other's word."""

from __future__ import annotations

import time

import pytest
from django.db import transaction

from memory import pipeline
from memory.curation import corrections
from memory.index import embeddings
from memory.jobs import due_days, minute_work, profile_rebuilds
from memory.records import snapshots
from memoryhub import db
from memoryhub.community import due_work
from memoryhub.community.due_work import Work
from memoryhub.community.models import Channel, DueWork
from memoryhub.db import transactions
from memoryhub.db.guild_scope import inside
from notes.models import ChannelBuffer, Message
from profiles.models import Profile
from tests import toy_embedder
from tests.factories import NOON, days, make_channel, make_fact, make_guild, make_member, minutes
from tests.incoming import SOUTH, north, say
from tests.verification.statements import recorded

pytestmark = pytest.mark.django_db
LATER = NOON + minutes(30)


def due(work: Work = Work.MINUTE, at=LATER) -> list[str]:
    return [row.guild.key for row in DueWork.objects.filter(work=work, at__lte=at).select_related("guild")]


def settled(guild, now=LATER) -> None:
    """Have the background do all that there is to do."""
    for look in range(4):
        at = now + minutes(15 * look)
        pipeline.tick(now=at)
        pipeline.learn_due(now=at)
        snapshots.render_recent(now=at)
        pipeline.consolidate_due(now=at)


def test_the_marks_are_of_every_kind_of_work():
    assert list(transactions.WORK) == list(due_work.AGAIN)


def test_whoever_speaks_marks_the_guild():
    say("I live in Toronto.")
    assert [due(work) for work in due_work.AGAIN] == [["discord:1"]] * 4


def test_whoever_locks_a_guild_marks_it():
    guild = make_guild()
    DueWork.objects.all().delete()
    with transaction.atomic():
        db.lock_guild(guild.pk)
    assert due() == ["discord:1"]


def test_all_guilds_can_be_marked_at_once():
    for key in ("discord:1", "discord:2"):
        make_guild(key)
    DueWork.objects.filter(guild__key="discord:2").delete()
    DueWork.objects.update(at=NOON + days(9))
    due_work.mark_all()
    assert [sorted(due(work)) for work in due_work.AGAIN] == [["discord:1", "discord:2"]] * 4


def test_a_guild_in_which_all_is_done_leaves_the_table_and_costs_no_statement():
    say("I live in Toronto.")
    settled(north())
    settled(
        north(),
        now=NOON
        + days(
            1,
        ),
    )
    settled(north(), now=NOON + days(2))
    assert due(at=NOON + days(5)) == []
    with recorded() as kept:
        pipeline.tick(now=NOON + days(5))
    assert len(kept) == 1


def test_a_silent_guild_is_not_looked_at_while_another_talks():
    say("I live in Lima.", guild=SOUTH)
    say("I live in Toronto.")
    DueWork.objects.filter(guild=north()).delete()
    pipeline.tick(now=NOON + minutes(40))
    assert ChannelBuffer.objects.get(guild=north()).status == "open"
    assert ChannelBuffer.objects.exclude(guild=north()).get().status == "done"


def test_an_open_conversation_is_looked_at_again_when_its_summary_or_its_end_is_due():
    say("I live in Toronto.")
    pipeline.tick(now=NOON + minutes(2))
    pipeline.tick(now=NOON + minutes(4))
    assert DueWork.objects.get(work=Work.MINUTE).at == NOON + minutes(15)


def test_a_conversation_that_a_person_ends_is_digested_with_the_next_minute():
    say("I live in Toronto.")
    pipeline.tick(now=NOON + minutes(2))
    pipeline.tick(now=NOON + minutes(4))
    assert due(at=NOON + minutes(6)) == []  # put off until something is due
    assert pipeline.flush(Channel.objects.get(), now=NOON + minutes(5))
    pipeline.tick(now=NOON + minutes(6))
    assert ChannelBuffer.objects.get().status == "done"


def test_a_rebuild_that_is_asked_for_begins_with_the_next_minute_in_a_silent_guild_too():
    say("I live in Toronto.")
    for day in range(3):
        settled(north(), now=NOON + days(day))
    assert due(at=NOON + days(5)) == []
    assert profile_rebuilds.mark_dirty(north()) == 1
    pipeline.tick(now=NOON + days(5))
    assert not Profile.objects.filter(dirty=True).exists()


def test_a_mark_that_comes_while_somebody_looks_is_kept():
    guild = make_guild()
    (row,) = due_work.taken(Work.MINUTE, now=NOON)
    due_work.mark(guild.pk)
    due_work.put_off(row, None)
    assert due(at=NOON) == ["discord:1"]


def test_what_one_worker_took_no_other_takes():
    make_guild()
    first = due_work.taken(Work.MINUTE, now=NOON)
    second = due_work.taken(Work.MINUTE, now=NOON)
    assert next(first)
    assert next(second, None) is None


def test_a_guild_that_waited_long_for_its_turn_is_not_taken_by_the_next_run_as_well(monkeypatch):
    for key in ("discord:1", "discord:2"):
        make_guild(key)
    taken, started = due_work.taken(Work.MINUTE, now=NOON), time.monotonic()
    next(taken)
    monkeypatch.setattr("time.monotonic", lambda: started + 240)  # the first guild has much to do
    second = next(taken)
    assert second.guild.key not in due(at=NOON + minutes(4))
    assert second.guild.key in due(at=NOON + minutes(5))


def test_a_minute_that_is_told_to_stop_leaves_the_rest_to_the_next_one(monkeypatch):
    toy_embedder.install(monkeypatch)
    make_guild(extraction_mode="message")
    say("I live in Toronto.")
    profile_rebuilds.mark_dirty(north())
    asked = iter([True])  # for the guild, and for nothing in it
    pipeline.tick(now=NOON + minutes(1), keep_going=lambda: next(asked, False))
    assert Message.objects.unread().exists()
    assert Profile.objects.filter(dirty=True).exists()
    with inside(north()):
        assert embeddings.are_missing()
    assert due(at=NOON + minutes(2)) == ["discord:1"]
    pipeline.tick(now=NOON + minutes(2))
    assert not Message.objects.unread().exists()
    assert not Profile.objects.filter(dirty=True).exists()
    with inside(north()):
        assert not embeddings.are_missing()


def test_a_worker_that_dies_leaves_the_guild_to_the_next_run():
    make_guild()
    assert next(due_work.taken(Work.MINUTE, now=NOON))
    assert next(due_work.taken(Work.MINUTE, now=NOON + minutes(1)))


def test_a_fact_that_is_not_embedded_is_waited_for(monkeypatch):
    guild = make_guild()
    pipeline.tick(now=NOON)
    toy_embedder.install(monkeypatch)
    make_fact(subject=make_member(guild))
    assert minute_work.next_look(guild, now=NOON) == NOON
    embeddings.embed_missing(10)
    assert minute_work.next_look(guild, now=NOON) is None


def test_a_night_that_waits_for_facts_to_grow_old_is_looked_at_when_they_are():
    guild = make_guild(stale_days=30)
    corrections.remember(
        guild, subject=make_member(guild), text="Plays chess.", kind="other", actor="operator:bob", now=NOON
    )  # sure of it: it never grows old
    assert due_days.next_look(guild, now=NOON) is None
    make_fact("Seems to like tea.", confidence=0.4, said_at=NOON, subject=make_member(guild))
    assert due_days.next_look(guild, now=NOON) == NOON + days(30)


def test_a_day_on_which_somebody_spoke_is_looked_at_when_it_ends():
    say("I live in Toronto.")
    assert due_days.next_look(north(), now=NOON + minutes(5)) == NOON.replace(hour=0) + days(1)


def test_a_rename_and_a_closed_channel_are_waited_for():
    guild = make_guild()
    pipeline.tick(now=NOON)
    member, channel = make_member(guild), make_channel(guild)
    assert minute_work.next_look(guild, now=NOON) is None
    member.indexed_to = 0
    member.save()
    assert minute_work.next_look(guild, now=NOON) == NOON
    member.indexed_to, channel.narrowing = None, "fact "
    member.save()
    channel.save()
    assert minute_work.next_look(guild, now=NOON) == NOON
