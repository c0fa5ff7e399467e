"""An edited message takes its place among what was said before and after it, as if it had been said so at once."""

from __future__ import annotations

import pytest

from memory import pipeline
from memory.curation import corrections
from memory.models import Fact
from memoryhub.ai import model_choice
from tests.factories import NOON, minutes
from tests.incoming import north, say
from tests.memory.withdrawal.relearning import learn, state, tell
from tests.scripted import scripted

pytestmark = pytest.mark.django_db
LATER = NOON + minutes(600)


def rewrite(number: int, text: str) -> None:
    pipeline.edit(north(), message_id=f"m-{number}", text=text, now=LATER)
    for minute in range(3):
        learn(LATER + minutes(6 + minute))


def never(*texts: str) -> list[tuple[object, ...]]:
    """Return what a hub knows that heard only the last words."""
    said = state()
    north().delete()
    tell(*texts)
    assert state()
    return said


@pytest.mark.parametrize(
    ("before", "number", "text"),
    [
        (["Good morning to all of you!", "I live in Toronto."], 0, "I live in Toronto."),
        (["I live in Toronto.", "I love green tea.", "I live in Toronto!"], 1, "I live in Rome."),
        (["I live in Lima.", "I love jazz.", "I live in Lima."], 1, "I don't live in Lima any more."),
        (["I love jazz.", "I live in Rome.", "I live in Toronto.", "I live in Rome."], 0, "I live in Toronto."),
        (["I love jazz, I do.", "I love jazz.", "I like chess."], 2, "I hate jazz."),
    ],
)  # fmt: skip
def test_what_is_known_after_an_edit_is_what_would_be_known_had_it_been_said_so(before, number, text):
    tell(*before)
    rewrite(number, text)
    assert never(*[text if at == number else said for at, said in enumerate(before)]) == state()


def test_two_edits_at_once_are_put_in_order_too():
    tell("Good morning, everybody!", "I live in Rome.", "Good evening, everybody!", "I live in Lima.")
    pipeline.edit(north(), message_id="m-2", text="I live in Rome.", now=LATER)
    rewrite(0, "I live in Lima.")
    assert never("I live in Lima.", "I live in Rome.", "I live in Rome.", "I live in Lima.") == state()


def test_what_a_person_changed_is_not_learned_anew():
    tell("Good morning, everybody!", "I live in Toronto.")
    corrections.correct(Fact.objects.get(), actor="operator:root", now=NOON + minutes(90), pinned=True)
    rewrite(0, "I live in Toronto.")
    fact = Fact.objects.get()
    assert (fact.pinned, fact.said_at, fact.evidence.count()) == (True, NOON + minutes(30), 2)


def test_where_a_model_reads_it_is_not_asked_a_second_time_about_the_later_messages():
    say("Good morning, everybody!", id="m-0", at=NOON)
    say("I live in Toronto.", id="m-1", at=NOON + minutes(30))
    with scripted() as model, model_choice.standing_in():
        pipeline.digest(None, now=LATER)
        pipeline.edit(north(), message_id="m-0", text="I live in Toronto.", now=LATER)
        model.asked.clear()
        pipeline.digest(None, now=LATER + minutes(60))
    read = [given.learn_from for purpose, given in model.asked if purpose == "extraction"]
    assert [len(ids) for ids in read] == [1]
