"""Which of the messages that were found a context tells: by words, or by meaning where one is about the question."""

from types import SimpleNamespace

import pytest

from memory.context.found_messages import worth_telling
from memory.recall.ranking import Ranked
from tests.memory.candidates import E5, candidate


def told(question, *cosines, words=(), thresholds=E5):
    """Return the numbers of the messages that are told, of messages with these cosines and word scores."""
    results = [
        (None, Ranked(candidate(number, kind="message", semantic=cosine, words=score), 0.0, {}))
        for number, (cosine, score) in enumerate(zip(cosines, words or [0.0] * len(cosines), strict=True))
    ]
    search = SimpleNamespace(query=SimpleNamespace(text=question, thresholds=thresholds))
    return [ranked.candidate.id for _, ranked in worth_telling(results, search)]


ASKED = "Who has trouble hearing?"


@pytest.mark.parametrize(
    ("question", "cosines", "words", "numbers"),
    [
        (ASKED, [0.78, 0.74, 0.71, None], (), [0, 1]),  # one is about it: all but unrelated ones
        (ASKED, [0.76, 0.74], (), []),  # none is
        (ASKED, [0.76, 0.74, 0.71], (0.0, 0.0, 0.5), [0, 1, 2]),  # one has its words
        ("what is it", [0.81, 0.78], (), [0]),  # says nothing by itself: what is about it
        ("what is it", [0.78, 0.78], (0.5, 0.0), [0]),
    ],
)
def test_what_is_told_of_what_was_found(question, cosines, words, numbers):
    assert told(question, *cosines, words=words) == numbers


def test_without_an_embedder_words_alone_decide():
    assert told(ASKED, None, None, words=(0.4, 0.0), thresholds=None) == [0]
