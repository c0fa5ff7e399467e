"""A worker killed while it sums up a channel: the old summary stays, and another takes over."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from memoryhub.community.models import Channel
from notes.models import Question, Summary
from notes.summaries import channel_profile, due, questions, summarize
from tests.factories import NOON, minutes
from tests.incoming import say
from tests.verification.dying import KILLED, begin, die, end

pytestmark = pytest.mark.usefixtures("shared_database")
NOW = NOON + minutes(60)
AFTER_THE_LEASE = NOW + Channel.policy.length + minutes(1)
PLACES = {
    "before the model is asked": (summarize, "ask"),
    "while the questions are kept": (questions, "keep"),
    "before the summary is written": (summarize, "_store"),
    "while the summary is written": (Summary.objects, "update_or_create"),
    "before the description is asked for": (channel_profile, "ask"),
    "before the channel is clean": (summarize, "Greatest"),
}


def dying(*_given: Any, **_named: Any) -> None:
    die()


def talk(start: int) -> None:
    for number in range(start, start + 10):
        say(f"The boat needs plank number {number}.", at=NOON + minutes(number))
    say("When does the sail maker open again?", "Bob", at=NOON + minutes(start + 10))


def state() -> tuple[Any, ...]:
    """Return what is kept of the channel, without ids and times of writing."""
    written = Summary.objects.order_by("kind").values_list("kind", "text", "from_at", "to_at")
    rests = [each.messages.count() for each in Summary.objects.order_by("kind")]
    asked = Question.objects.values_list("text", "answered_at")
    return list(written), rests, list(asked), Channel.objects.get().unsummarized


@pytest.fixture
def undisturbed() -> tuple[Any, ...]:
    """Return what is kept where nobody is killed, and then forget all of it."""
    talk(0)
    assert due.summarize_due(now=NOW) == 1
    kept = state()
    Summary.objects.all().delete()
    Question.objects.all().delete()
    Channel.objects.update(unsummarized=11)
    return kept


@pytest.mark.parametrize("place", PLACES)
def test_another_process_of_the_machine_takes_over_at_once(undisturbed, place):
    with patch.object(*PLACES[place], dying):
        assert end(begin(lambda: due.summarize_due(now=NOW))) == KILLED
    assert Channel.objects.get().unsummarized == 11
    assert due.summarize_due(now=NOW + minutes(1)) == 1
    assert state() == undisturbed


@pytest.mark.parametrize("place", PLACES)
def test_another_machine_takes_over_after_the_lease(undisturbed, place):
    with patch.object(*PLACES[place], dying):
        assert end(begin(lambda: due.summarize_due(now=NOW))) == KILLED
    Channel.objects.update(claimed_by="another-machine:1")
    assert due.summarize_due(now=NOW + minutes(1)) == 0
    assert due.summarize_due(now=AFTER_THE_LEASE) == 1
    assert state() == undisturbed


@pytest.mark.parametrize("place", [place for place in PLACES if "description" not in place])
def test_the_old_summary_stays_whole_until_a_new_one_is_written(undisturbed, place):
    due.summarize_due(now=NOW)
    talk(20)
    with patch.object(*PLACES[place], dying):
        assert end(begin(lambda: due.summarize_due(now=NOW + minutes(1)))) == KILLED
    rolling = Summary.objects.get(kind="rolling")
    said = list(rolling.messages.order_by("sent_at"))
    assert (rolling.from_at, rolling.to_at) == (said[0].sent_at, said[-1].sent_at)
    assert due.summarize_due(now=AFTER_THE_LEASE) == 1
    assert "number 29" in Summary.objects.get(kind="rolling").text
