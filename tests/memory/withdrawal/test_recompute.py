"""What is left of a fact once some of what was said is gone: what it would be had that never been said."""

from __future__ import annotations

import pytest

from memory import pipeline
from memory.curation import corrections
from memory.models import Fact
from tests.factories import NOON, minutes
from tests.incoming import north
from tests.memory.withdrawal.relearning import learn, state, tell

pytestmark = pytest.mark.django_db
LATER = NOON + minutes(600)


def delete(*numbers: int) -> None:
    pipeline.delete(north(), message_ids=[f"m-{number}" for number in numbers], now=LATER)
    learn(LATER + minutes(6))


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_a_repeat_that_went_was_never_counted(gone):
    tell("I live in Toronto.", "I live in Toronto!", "I live in TORONTO.")
    delete(gone)
    [(text, status, _, repeats, said_at, last, *_)] = state()
    left = [NOON + minutes(30 * number) for number in range(3) if number != gone]
    assert (text.casefold(), status, repeats, said_at, last) == ("lives in toronto.", "active", 1, *left)


def test_what_the_lost_words_had_ended_is_ended_by_what_came_after():
    tell("I live in Rome.", "I moved to Lima.", "I moved to Oslo.")
    rome, lima, oslo = (row[0] for row in state())
    assert [row[-1] for row in state()] == [lima, oslo, None]
    delete(1)
    assert [(row[0], row[1], row[-1]) for row in state()] == [(rome, "superseded", oslo), (oslo, "active", None)]


def test_what_was_said_again_after_an_end_that_went_is_a_repeat():
    tell("I live in Rome.", "I moved to Lima.", "I live in Rome.")
    delete(1)
    assert [(row[0], row[1], row[3]) for row in state()] == [("Lives in Rome.", "active", 1)]


def test_a_persons_words_are_not_read_again():
    tell("I live in Toronto.", "I live in Toronto!")
    fact = Fact.objects.get()
    corrections.correct(fact, text="Lives in Toronto, Canada.", actor="operator:ann", now=LATER)
    delete(0)
    fact.refresh_from_db()
    assert (fact.text, fact.status, fact.evidence.count()) == ("Lives in Toronto, Canada.", "active", 1)
