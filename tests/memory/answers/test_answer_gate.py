"""The gate alone: whose line it is decides, and how many others spoke of it."""

from __future__ import annotations

import pytest

from memory.answers.answer_gate import LIKE, LIKE_ALONE, LIKE_OF_SOMEBODY, LIKE_WITH_HALF, MARGIN, NEAR, passing
from memory.recall.results import Memory
from tests.factories import NOON


def line(who, score, text="Rows on the lake", *, gate="semantic", kind="message", **scores):
    return Memory(
        kind=kind, id=f"{who} {score}", text=text, score=score, member=who, member_id=who, created_at=NOON, sources=[],
        gate=gate, scores={"semantic": LIKE_OF_SOMEBODY, **scores},
    )  # fmt: skip


def texts(memories, question="What does Alice do there?", named=("Alice",), **fields):
    return [memory.id for memory in passing(memories, question=question, named=named, **fields)]


def test_a_line_well_ahead_of_anothers_answers():
    assert texts([line("Alice", 0.5), line("Bob", 0.5 - 1.1 * MARGIN)]) == ["Alice 0.5"]
    assert texts([line("Alice", 0.5), line("Bob", 0.5 - 0.9 * MARGIN)]) == []


def test_where_several_others_speak_of_it_each_has_less_to_say():
    others = [line("Bob", 0.45), line("Carol", 0.44), line("Dan", 0.43)]
    assert texts([line("Alice", 0.5), *others]) == ["Alice 0.5"]
    assert texts([line("Alice", 0.5), others[0]]) == []


def test_a_statement_with_most_of_the_words_answers_whatever_others_said():
    question, told = "Which lake does Alice row on?", "I row on the lake."
    assert texts([line("Bob", 0.6), line("Alice", 0.4, told)], question) == ["Alice 0.4"]
    assert texts([line("Bob", 0.6), line("Alice", 0.4, "Do you row on the lake?")], question) == []


def test_what_fails_recalls_own_gate_answers_nothing():
    assert texts([line("Alice", 0.5, gate="")]) == []


def test_what_is_told_of_somebody_is_no_answer_to_whatever_is_asked_of_them():
    asked = "Is Alice a vegetarian?"
    assert texts([line("Alice", 0.5, semantic=LIKE_OF_SOMEBODY - 0.01)], asked) == []
    assert texts([line("Alice", 0.5)], asked) == ["Alice 0.5"]
    assert texts([line("Alice", 0.5, semantic=0.0)], "Is Alice on the lake?") == ["Alice 0.5"]


def test_a_message_whose_facts_hold_no_longer_answers_nothing():
    assert texts([line("Alice", 0.6, outdated=1.0), line("Alice", 0.5, outdated=0.0)]) == ["Alice 0.5"]


def test_what_is_far_below_the_best_is_left_out():
    assert texts([line("Alice", 0.9), line("Alice", 0.9 - 1.1 * NEAR)]) == ["Alice 0.9"]


@pytest.mark.parametrize(
    ("told", "least"),
    [
        ("Rows on the lake", LIKE_ALONE),
        ("Exercises on the lake", LIKE_WITH_HALF),
        ("The sunrise exercises are cancelled", 0.0),
    ],
)
def test_of_a_question_that_names_nobody_likeness_makes_up_for_words(told, least):
    def answered(semantic):
        found = line("Bob", 0.4, told, semantic=semantic)
        return bool(texts([found], "Who exercises at sunrise?", named=()))

    assert answered(least)
    assert not answered(least - 0.01) or not least


def test_one_word_of_several_needs_likeness():
    question = "What is the tallest building in the harbour town?"
    assert texts([line("Bob", 0.4, "The harbour is quiet.", semantic=LIKE)], question, named=())
    assert not texts([line("Bob", 0.4, "The harbour is quiet.", semantic=LIKE - 0.01)], question, named=())


def test_the_only_word_of_a_question_is_enough():
    assert texts([line("Bob", 0.4, "The tent is in the shed.", semantic=0.0)], "Where is the tent?", named=())


def test_a_larger_margin_lets_no_more_through():
    memories = [line("Alice", 0.5), line("Bob", 0.4)]
    counts = [len(texts(memories, margin=margin)) for margin in (0.0, 0.05, 0.2)]
    assert counts == sorted(counts, reverse=True)
