"""The nightly job, killed with SIGKILL anywhere, goes on where it was; two that race do it once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

import pytest

from memory import pipeline
from memory.jobs import nightly
from memory.models import Fact, JobRun
from memoryhub.community.models import Guild
from memoryhub.db import leases
from notes.models import InteractionNote, Journal
from tests.factories import NOON, days, make_fact, make_member, minutes
from tests.incoming import NORTH, SOUTH, incoming
from tests.scripted import scripted
from tests.verification.dying import KILLED, begin, die, end, race
from tests.verification.portrait import knowledge

pytestmark = pytest.mark.usefixtures("shared_database")

DAY, TONIGHT = NOON.date(), NOON + days(1)
TALKS = {
    "harbour": [
        ("Alice", "I moved to Toronto last spring and I work at the city library now, right by the harbour."),
        ("Bob", "I live in Lisbon and I play the cello every evening, mostly Bach and a little Elgar."),
    ],
    "kitchen": [
        ("Bob", "My sister is a nurse. I am learning Portuguese for the exam in June, it is hard work."),
        ("Carol", "I hate coriander, so no coriander at the picnic on Sunday, please remember that all of you."),
    ],
    "garden": [
        ("Carol", "I love rainy mornings, and I have two cats called Miso and Nori who sleep all day long."),
        ("Alice", "I'm allergic to peanuts, please remember that for the picnic on Sunday in the big garden."),
    ],
    "shed": [
        ("Bob", "I play the cello at the picnic on Sunday, please remember the peanuts for all of you there."),
        ("Carol", "I bring coriander bread to the picnic on Sunday, please remember that in the garden."),
    ],
}


def hear(ref) -> Guild:
    """Let a guild hear talks of one day and digest them; a fact of long ago is to be put aside."""
    said = [
        incoming(text, author, id=f"{channel}-{at}", channel=channel, at=NOON + minutes(at))
        for channel, talk in TALKS.items()
        for at, (author, text) in enumerate(talk)
    ]
    pipeline.receive_many(said, guild=ref, now=NOON + minutes(10))
    guild = Guild.objects.get(key=ref.key)
    pipeline.digest(guild, now=NOON + minutes(60))
    make_fact("Drinks tea.", subject=make_member(guild, "Alice"), confidence=0.4, said_at=NOON - days(400))
    return guild


def night(guild: Guild) -> list[str]:
    return [report.status for report in pipeline.consolidate(guild, day=DAY, now=TONIGHT)]


def outcome(guild: Guild) -> dict[str, Any]:
    """Return all that a night changes."""
    journal = Journal.objects.of(guild).get(day=DAY).text.partition("\n")[2]
    archived = list(Fact.objects.of(guild).exclude(status="active").values_list("text", "status"))
    return {**knowledge(guild), "archived": archived, "journal": journal}


@pytest.fixture
def north() -> Guild:
    return hear(NORTH)


@pytest.fixture
def undisturbed() -> dict[str, Any]:
    """Return what is there after the same night in a guild that nobody disturbed."""
    south = hear(SOUTH)
    assert night(south) == ["done"] * 4
    found = outcome(south)
    assert found["archived"]
    assert InteractionNote.objects.of(south).filter(kind="topic_cluster").count() == 1
    return found


def after(target: Any, name: str, what: Callable[[], object], times: int = 1) -> AbstractContextManager[Any]:
    """Have something happen after the n-th call of a function."""
    real, left = getattr(target, name), [times]

    def called(*given: Any, **named: Any) -> Any:
        answer = real(*given, **named)
        left[0] -= 1
        if not left[0]:
            what()
        return answer

    return patch.object(target, name, called)


PLACES = {
    "while topics are thought": (nightly.topics, "find_topics", 1),
    "while topics are written": (nightly.topics, "write", 1),
    "when topics are written": (nightly.writing, "index_notes", 1),
    "after the first profile": (nightly.profile_rebuilds, "consolidate", 1),
    "after the first profile is recorded": (leases, "checkpoint", 2),
    "after the last profile": (nightly.profile_rebuilds, "consolidate", 3),
    "when facts are put aside": (nightly.fact_limits, "archive_outgrown", 1),
    "when the journal is written": (nightly.snapshots, "render_journal", 1),
    "when the last phase is recorded": (leases, "finish", 4),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_night_that_is_killed_is_ended_by_the_next_run_as_if_nothing_had_happened(north, undisturbed, place):
    target, name, times = PLACES[place]
    with after(target, name, die, times):
        assert end(begin(lambda: night(north))) == KILLED
    assert set(night(north)) <= {"done", "skipped"}
    assert outcome(north) == undisturbed
    assert set(JobRun.objects.of(north).values_list("status", flat=True)) == {"done"}
    assert night(north) == ["skipped"] * 4


def test_the_next_run_asks_nothing_again_that_is_done(north):
    with after(leases, "checkpoint", die, 3):  # topics, then two of three members
        assert end(begin(lambda: night(north))) == KILLED
    with scripted() as model:
        assert night(north) == ["skipped", "done", "done", "done"]
    assert [(purpose, given.member) for purpose, given in model.asked] == [("profile_rebuild", "Carol")]


def test_two_processes_that_race_for_a_night_do_it_once(north, undisturbed):
    assert race(*[lambda: night(north)] * 2) == [0, 0]
    assert set(night(north)) <= {"done", "skipped"}
    assert outcome(north) == undisturbed
    assert sum(JobRun.objects.get(guild=north, phase="profiles").counts.values()) == 3
