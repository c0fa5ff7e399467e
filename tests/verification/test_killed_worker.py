"""A worker killed at any step of a digest loses nothing, and nothing is learned or told twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from unittest.mock import patch

import pytest

from memory import pipeline
from memory.jobs import digest_steps, profile_rebuilds, profile_updates
from memory.learning import extraction
from memoryhub.community.models import Guild
from memoryhub.db import leases
from notes.messages import conversations
from notes.models import ChannelBuffer
from notes.writing import writer
from profiles.revision import revise
from tests.factories import NOON, minutes
from tests.incoming import NORTH, SOUTH, incoming
from tests.verification.dying import KILLED, begin, die, end, race
from tests.verification.portrait import knowledge, oddities

pytestmark = pytest.mark.usefixtures("shared_database")

TALK = (
    ("Alice", "I moved to Toronto last spring and I work at the city library now."),
    ("Bob", "Nice! I live in Lisbon and I play the cello every evening."),
    ("Alice", "I love rainy mornings, and I have two cats called Miso and Nori."),
    ("Bob", "My sister is a nurse. I am learning Portuguese for the exam in June."),
    ("Alice", "I'm allergic to peanuts, please remember that for the picnic on Sunday."),
    ("Bob", "I hate coriander, so no coriander at the picnic either."),
)
TODAY = NOON + minutes(60)
AFTER_THE_LEASE = TODAY + ChannelBuffer.policy.length + minutes(1)
STEPS = tuple(digest_steps.STEPS)


@pytest.fixture
def north() -> Guild:
    """Return a guild whose conversations wait to be digested; nothing has happened to it yet."""
    return hear(NORTH)


@pytest.fixture
def undisturbed() -> dict[str, Any]:
    """Return what is known after the same talk in a guild whose worker was never killed."""
    south = hear(SOUTH)
    pipeline.digest(south, now=TODAY)
    known = knowledge(south)
    assert known["facts"]
    assert known["notes"]
    assert known["entries"]
    assert known["days"]
    return known


def hear(ref) -> Guild:
    """Let a guild hear the talk, in two channels."""
    messages = [
        incoming(text, author, id=f"{channel}-{i}", channel=channel, at=NOON + minutes(i))
        for channel in ("general", "music")
        for i, (author, text) in enumerate(TALK)
    ]
    pipeline.receive_many(messages, guild=ref, now=NOON + minutes(10))
    Guild.objects.filter(key=ref.key).update(relationships_on=True)
    return Guild.objects.get(key=ref.key)


@contextmanager
def doing(step: str, work: Callable[..., None]) -> Iterator[None]:
    """Have another function do a step of the digest."""
    with patch.dict(digest_steps.STEPS, {step: work}):
        yield


def before(step: str, what: Callable[[], object]) -> Callable[..., None]:
    """Return the step with something happening before it."""
    return _first(what, then=digest_steps.STEPS[step])


def after(step: str, what: Callable[[], object]) -> Callable[..., None]:
    """Return the step with something happening after it, before it is marked as done."""
    real = digest_steps.STEPS[step]
    return lambda *given: (real(*given), what())


def _first(what: Callable[[], object], *, then: Callable[..., None]) -> Callable[..., None]:
    return lambda *given: (what(), then(*given))


def digest(guild: Guild, now: datetime = TODAY) -> pipeline.DigestReport:
    return pipeline.digest(guild, now=now)


@pytest.mark.parametrize("when", [before, after], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_worker_killed_at_a_step_is_continued_by_another_after_the_lease(north, undisturbed, step, when):
    with doing(step, when(step, die)):
        assert end(begin(lambda: digest(north))) == KILLED
    assert digest(north, AFTER_THE_LEASE).failed == 0
    assert knowledge(north) == undisturbed
    assert not oddities(north)


@pytest.mark.parametrize("facts", [0, 1, 2])
def test_a_worker_killed_between_two_facts_of_a_batch_learns_none_of_them_twice(north, undisturbed, facts):
    with patch.object(extraction.consolidation, "carry_out", _dying_after(facts)):
        assert end(begin(lambda: digest(north))) == KILLED
    assert digest(north, AFTER_THE_LEASE).failed == 0
    assert knowledge(north) == undisturbed


def _dying_after(number: int) -> Callable[..., Any]:
    left = [number]
    settle = extraction.consolidation.carry_out

    def settled(*given: Any, **named: Any) -> Any:
        if not left[0]:
            die()
        left[0] -= 1
        return settle(*given, **named)

    return settled


WITHIN = {
    "when the facts' model has answered": (extraction, "ask"),
    "when the note's model has answered": (writer, "ask"),
    "when the note is written and not indexed": (writer, "_store"),
    "when the note is indexed": (pipeline.writing, "index_notes"),
    "when profiles are being written": (revise, "write_entries"),
    "when profiles are written": (profile_updates, "revise_by_rules"),
    "when a piece of a step is recorded": (leases, "checkpoint"),
    "when the days are counted": (digest_steps.count, "count_buffer"),
    "when a step is recorded": (conversations, "advance"),
    "when the conversation is finished": (leases, "finish"),
}


@pytest.mark.parametrize("place", WITHIN)
def test_a_worker_killed_within_a_step_loses_nothing_and_writes_nothing_twice(north, undisturbed, place):
    target, name = WITHIN[place]
    real = getattr(target, name)
    with patch.object(target, name, lambda *given, **named: (real(*given, **named), die())):
        assert end(begin(lambda: digest(north))) == KILLED
    assert digest(north).failed == 0
    assert knowledge(north) == undisturbed
    assert not oddities(north)


def test_another_process_of_the_machine_takes_up_at_once_what_a_killed_worker_held(north, undisturbed):
    with doing("note", before("note", die)):
        assert end(begin(lambda: digest(north))) == KILLED
    assert digest(north).failed == 0
    assert knowledge(north) == undisturbed
    assert not oddities(north)


def test_until_its_lease_ends_nobody_else_takes_up_what_a_worker_held_on_a_machine_that_is_gone(north):
    with doing("note", before("note", die)):
        assert end(begin(lambda: digest(north))) == KILLED
    held = ChannelBuffer.objects.exclude(claimed_until=None).get()
    ChannelBuffer.objects.filter(pk=held.pk).update(claimed_by="another-machine:1")
    taken: list[int] = []
    pipeline.digest(north, now=TODAY, progress=lambda buffer: taken.append(buffer.pk))
    assert taken
    assert held.pk not in taken


def test_a_worker_that_slept_through_its_lease_adds_nothing_to_what_another_did(north, undisturbed):
    for step in STEPS:
        woken = after(step, lambda: digest(north, AFTER_THE_LEASE))
        with doing(step, _once(woken, then=digest_steps.STEPS[step])):
            digest(north)
    assert knowledge(north) == undisturbed
    assert not oddities(north)


def _once(first: Callable[..., None], *, then: Callable[..., None]) -> Callable[..., None]:
    waiting = [first]
    return lambda *given: (waiting.pop() if waiting else then)(*given)


def test_an_interrupted_digest_gives_its_conversation_back(north, undisturbed):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with doing("note", interrupted), pytest.raises(KeyboardInterrupt):
        digest(north)
    assert not ChannelBuffer.objects.exclude(claimed_until=None).exists()
    assert digest(north).failed == 0
    assert knowledge(north) == undisturbed


def test_two_workers_racing_for_the_same_conversations_digest_each_once(north, undisturbed):
    assert race(*[lambda: digest(north)] * 2) == [0, 0]
    assert digest(north, AFTER_THE_LEASE).failed == 0
    profile_rebuilds.rebuild_dirty(now=AFTER_THE_LEASE)  # the minute's work: both may have revised one member at once
    assert knowledge(north) == undisturbed
    assert not oddities(north)


@pytest.mark.parametrize("step", ["extract", "note"])
def test_a_conversation_that_kills_every_worker_is_parked_and_kept(north, step):
    now = TODAY
    with doing(step, before(step, die)):
        for _ in range(ChannelBuffer.policy.most_attempts * 2):
            assert end(begin(lambda: digest(north, now))) == KILLED  # noqa: B023
            now += ChannelBuffer.policy.length + minutes(1)
    digest(north, now)
    assert {buffer.status for buffer in ChannelBuffer.objects.of(north)} == {ChannelBuffer.Status.PARKED}
    assert not oddities(north)
