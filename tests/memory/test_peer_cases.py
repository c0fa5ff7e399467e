"""Cases that the system behind "profiles and notes" tests for itself; `docs/cases.md` lists all of them."""

from __future__ import annotations

import pytest

from memory import pipeline
from memory.models import Fact, JobRun
from memoryhub.community.models import Guild
from memoryhub.search import keywords
from memoryhub.search.scope import Scope
from notes.models import ChannelBuffer, InteractionNote, Message
from profiles.models import ProfileEntry
from tests.factories import NOON, days, minutes
from tests.incoming import north, say

pytestmark = pytest.mark.django_db
LATER = NOON + minutes(60)
LONG = "I live in {0} and I work as a carpenter there, in a workshop by the river, behind the old mill."
LONG += " We build wooden boats for the children."


def take_back_all_that(name: str) -> None:
    ids = list(Message.objects.filter(author__display_name=name).values_list("platform_id", flat=True))
    pipeline.delete(north(), message_ids=ids, now=LATER)


def test_a_member_whose_words_are_deleted_leaves_the_open_conversation_and_the_others_stay():
    say(LONG.format("Toronto"), "Mallory")
    say(LONG.format("Lisbon"), "Bob", at=NOON + minutes(1))
    take_back_all_that("Mallory")
    pipeline.digest(None, now=LATER)
    assert {str(fact.subject) for fact in Fact.objects.all()} == {"Bob"}
    note = InteractionNote.objects.get()
    assert "Toronto" not in note.summary
    assert [str(member) for member in note.participants.all()] == ["Bob"]


def test_a_member_whose_words_are_deleted_before_anything_was_learned_leaves_nothing():
    say(LONG.format("Toronto"), "Mallory")
    take_back_all_that("Mallory")
    pipeline.digest(None, now=LATER)
    assert not Fact.objects.exists()
    assert not InteractionNote.objects.exists()
    scope = Scope(guild=north().pk, audiences=[0])
    assert keywords.search(kind="message", query="Toronto", scope=scope, limit=5) == []


def test_deletion_after_a_night_leaves_no_profile_and_no_topic():
    for number, city in enumerate(("Toronto", "Ottawa", "Montreal", "Calgary")):
        say(LONG.format(city), "Mallory", channel=f"place-{number}", at=NOON + minutes(number))
    pipeline.digest(None, now=LATER)
    pipeline.consolidate(north(), day=NOON.date(), now=NOON + days(1))
    assert InteractionNote.objects.filter(kind="topic_cluster").exists()
    assert ProfileEntry.objects.exists()
    take_back_all_that("Mallory")
    assert not InteractionNote.objects.exists()
    assert not ProfileEntry.objects.exists()
    assert not Fact.objects.exists()


def test_a_full_conversation_is_digested_in_the_same_minute():
    for number in range(100):
        say(LONG.format(f"City{number}"), at=NOON + minutes(number / 10))
    pipeline.tick(now=NOON + minutes(10))
    assert ChannelBuffer.objects.get().status == "done"
    assert InteractionNote.objects.get().messages.count() == 100


def test_a_night_says_when_it_began_and_ended():
    say(LONG.format("Toronto"))
    pipeline.digest(None, now=LATER)
    pipeline.consolidate_due(now=NOON + days(1))
    for run in JobRun.objects.all():
        assert NOON + days(1) <= run.started_at <= run.finished_at


def test_the_second_sweep_asks_nothing_and_changes_nothing():
    say(LONG.format("Toronto"))
    pipeline.digest(None, now=LATER)
    assert pipeline.consolidate_due(now=NOON + days(1)) == 1
    assert set(JobRun.objects.values_list("status", flat=True)) == {"done"}
    before = list(JobRun.objects.values())
    assert pipeline.consolidate_due(now=NOON + days(1) + minutes(15)) == 0
    assert list(JobRun.objects.values()) == before
    assert Guild.objects.count() == 1
