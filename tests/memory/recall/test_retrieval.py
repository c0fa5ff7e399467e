import numpy as np
import pytest

from memory.recall import retrieval
from memoryhub.ai import ModelFailed
from memoryhub.ai.embedding.question_adapter import QuestionAdapter
from memoryhub.ai.embedding.thresholds import EMBEDDED
from memoryhub.search.scope import Match, Scope

ASKED = np.array([0.8, 0.6, 0.0], np.float32)


class Embedder:
    """Knows one question."""

    identity = "toy:two:3"
    thresholds = EMBEDDED

    def query(self, text):
        return ASKED


@pytest.fixture
def model(monkeypatch):
    made = Embedder()
    monkeypatch.setattr(retrieval, "embedder", lambda: made)
    return made


@pytest.fixture
def adapter(model, monkeypatch):
    """Turn a part of the second direction into the third, and take half of the first."""
    matrix = np.array([[0.5, 0, 0], [0, 1, 0.5], [0, 0, 1]], np.float32)
    learned = QuestionAdapter(matrix=matrix, bias=np.array([0, 0, 0.2], np.float32), shift=0.3)
    monkeypatch.setattr(retrieval, "question_adapter", lambda name: learned if name == model.identity else None)
    return learned


def near(passage):
    """Return the cosine of the question with a passage as recall has it."""
    query = retrieval.embedded_query("Who lives there?")
    return query.as_asked(float(np.array(passage, np.float32) @ query.embedding))


@pytest.mark.usefixtures("adapter")
def test_a_question_looks_where_its_adapter_moves_it():
    assert near([0.96, 0.28, 0.0]) < near([0.0, 0.6, 0.8])


@pytest.mark.usefixtures("adapter")
def test_a_cosine_with_a_moved_question_is_one_that_thresholds_are_about():
    assert near([1.0, 0.0, 0.0]) == pytest.approx(0.8 * 0.5 + 0.3)
    assert near([0.0, 0.0, 1.0]) == pytest.approx(0.6 * 0.5 + 0.2 + 0.3)


@pytest.mark.usefixtures("adapter")
def test_the_embedding_that_is_searched_with_has_length_one():
    assert np.linalg.norm(retrieval.embedded_query("Who lives there?").embedding) == pytest.approx(1)


@pytest.mark.usefixtures("model")
def test_of_an_embedder_that_has_no_adapter_the_question_is_searched_with_as_it_is():
    query = retrieval.embedded_query("Who lives there?")
    assert query.embedding.tolist() == ASKED.tolist()
    assert query.as_asked(0.5) == 0.5


def test_a_question_is_asked_by_words_where_the_embedder_fails(model, monkeypatch):
    def query(text):
        raise ModelFailed("unavailable")

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
    retrieval.retrieve_all(retrieval.embedded_query("Who?"), [retrieval.Asked(kind, Scope(guild=1, audiences=[0]))])
    assert [each.limit for each in sought] == [by_meaning]
