import numpy as np
import pytest

from memory.recall import retrieval
from memoryhub.ai import ModelFailed, Thresholds
from memoryhub.ai.embedding.lasting import Lasting
from memoryhub.ai.embedding.thresholds import EMBEDDED, EMPTY_QUESTION
from memoryhub.search.scope import Match, Scope

ASKED, EMPTY = np.array([0.8, 0.6, 0.0], np.float32), np.array([1.0, 0.0, 0.0], np.float32)


class Embedder:
    """Knows two questions: one, and one that asks nothing."""

    identity = "toy:two:3"
    thresholds = EMBEDDED

    def query(self, text):
        return EMPTY if text == EMPTY_QUESTION else ASKED


@pytest.fixture
def model(monkeypatch):
    made = Embedder()
    monkeypatch.setattr(retrieval, "embedder", lambda: made)
    return made


def near(passage):
    """Return the cosine of the question with a passage as recall has it."""
    query = retrieval.embedded_query("Who lives there?")
    return query.as_asked(float(np.array(passage, np.float32) @ query.embedding))


@pytest.mark.usefixtures("model")
def test_what_is_near_to_any_question_is_less_near_than_what_is_near_to_this_one():
    assert np.array([0.96, 0.28, 0.0], np.float32) @ ASKED == pytest.approx(0.936)
    assert near([0.96, 0.28, 0.0]) < near([0.6, 0.75, 0.28]) == pytest.approx(0.99, abs=0.04)


@pytest.mark.usefixtures("model")
def test_a_memory_as_near_to_an_empty_question_as_most_keeps_its_cosine():
    passage = [EMBEDDED.empty, 0.6, 0.0]
    assert near(passage) == pytest.approx(float(np.array(passage) @ ASKED))


@pytest.mark.usefixtures("model")
def test_the_embedding_that_is_searched_with_has_length_one():
    assert np.linalg.norm(retrieval.embedded_query("Who lives there?").embedding) == pytest.approx(1)


def test_of_two_messages_as_near_to_the_question_the_one_that_tells_something_is_nearer(model, monkeypatch):
    assert near([0.48, 0.64, 0.6]) == pytest.approx(near([0.48, 0.64, -0.6]))
    direction = Lasting(direction=np.array([0.0, 0.0, 1.0], np.float32), least=0.1)
    monkeypatch.setattr(retrieval, "lasting", lambda name: direction if name == model.identity else None)
    assert near([0.48, 0.64, 0.6]) > near([0.48, 0.64, -0.6]) + 0.1


def test_what_neither_lasts_nor_is_chatter_keeps_its_cosine(model, monkeypatch):
    before = near([0.6, 0.8, 0.0])
    direction = Lasting(direction=np.array([0.0, 0.0, 1.0], np.float32), least=0.1)
    monkeypatch.setattr(retrieval, "lasting", lambda name: direction)
    assert near([0.6, 0.8, 0.0]) == pytest.approx(before)


def test_of_an_embedder_that_was_not_measured_the_question_is_searched_with_as_it_is(model):
    model.thresholds = Thresholds(same=0.6, duplicate=0.9, related=0.3, floor=0.0, ceiling=0.9)
    query = retrieval.embedded_query("Who lives there?")
    assert query.embedding.tolist() == ASKED.tolist()
    assert query.as_asked(0.5) == 0.5


def test_a_question_is_asked_by_words_where_the_empty_one_fails(model, monkeypatch):
    def query(text):
        if text == EMPTY_QUESTION:
            raise ModelFailed("unavailable")
        return ASKED

    monkeypatch.setattr(model, "query", query, raising=False)
    assert retrieval.embedded_query("Who lives there?").embedding is None


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    ("kind", "by_words", "by_meaning"),
    [("message", 0, 60), ("message", 25, 35), ("message", 60, 24), ("note", 0, 16), ("fact", 0, 12)],
)
def test_of_messages_meaning_finds_what_words_do_not(monkeypatch, kind, by_words, by_meaning):
    sought = []
    found = [Match(number, 1.0) for number in range(by_words)]
    monkeypatch.setattr(retrieval.keywords, "search_all", lambda _, **__: [found])
    monkeypatch.setattr(retrieval.vectors, "search_all", lambda asked, **_: sought.extend(asked) or [[]])
    retrieval.retrieve(retrieval.embedded_query("Who?"), kind=kind, scope=Scope(guild=1, audiences=[0]))
    assert [each.limit for each in sought] == [by_meaning]
