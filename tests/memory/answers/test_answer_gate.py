"""The gate alone: whose line it is decides, and how many others spoke of it."""

from __future__ import annotations

import numpy as np
import pytest

from memory.answers import answer_gate
from memory.answers.answer_gate import LIKE, LIKE_ALONE, LIKE_OF_SOMEBODY, LIKE_WITH_HALF, MARGIN, NEAR, passing
from memory.recall.results import Memory
from memoryhub.ai import ModelFailed
from memoryhub.ai.embedding import directions
from memoryhub.ai.embedding.directions import Direction
from memoryhub.ai.embedding.embedder import embedded
from tests import toy_embedder
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


@pytest.fixture
def asked_of_the_world(monkeypatch):
    """Let the embedder take every question for one of the world at large."""
    toy = toy_embedder.install(monkeypatch)
    direction = Direction(direction=np.zeros(toy.dimensions, np.float32), least=0.0)
    monkeypatch.setattr(answer_gate, "embedder", lambda: toy)
    monkeypatch.setattr(answer_gate, "general", lambda model: direction if model == toy.identity else None)


@pytest.mark.parametrize(
    ("told", "kind", "answers"),
    [
        ("The capital of France is Paris", "message", True),
        ("Moved to the capital of France", "fact", True),
        ("What is the capital of France?", "message", False),
        ("They talked of capital letters, then of France", "note", False),
        ("France was lovely", "message", False),
    ],
)
def test_of_a_question_of_the_world_at_large_only_a_statement_with_its_words_answers(
    asked_of_the_world, told, kind, answers
):
    found = line("Bob", 0.4, told, kind=kind, semantic=1.0)
    assert bool(texts([found], "What is the capital of France?", named=())) is answers


def test_a_question_that_names_a_member_is_none_of_the_world_at_large(asked_of_the_world):
    assert texts([line("Alice", 0.5)]) == ["Alice 0.5"]


def test_where_the_embedder_fails_no_question_is_of_the_world_at_large(asked_of_the_world, monkeypatch):
    class Failing(toy_embedder.ToyEmbedder):
        def query(self, text):
            raise ModelFailed("down", "down")

    monkeypatch.setattr(answer_gate, "embedder", Failing)
    assert texts([line("Bob", 0.4, semantic=1.0)], "What is the capital of France?", named=()) == ["Bob 0.4"]


@pytest.mark.parametrize(
    ("question", "general"),
    [
        ("What is the capital of Norway?", True),
        ("how do i boil an egg", True),
        ("Wie hoch ist der Mount Everest?", True),
        ("Qui a écrit Les Misérables ?", True),
        ("When do we meet again?", False),
        ("who was going to bring the tent", False),
        ("Was haben wir wegen der Kasse beschlossen?", False),
        ("Where does she work now?", False),
    ],
)
def test_the_embedded_model_tells_questions_of_the_world_from_those_of_a_community(question, general):
    model = embedded()
    assert directions.general(model.identity).has(model.query(question)) is general
