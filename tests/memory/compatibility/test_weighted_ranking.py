import pytest

from memory.compatibility import weighted_ranking
from memory.recall.ranking import rank
from tests.memory.candidates import asked, candidate, order


@pytest.mark.parametrize(
    ("text", "compacted"),
    [
        ("Lives in Toronto!", "lives in toronto"),
        ("see https://example.org/a?b=c now", "see now"),
        ("nice <:bento:12345> dog", "nice dog"),
        ("C++ & C#", "c c"),
        ("東京に住んでいます", ""),
    ],
)
def test_text_is_compacted_to_ascii_words(text, compacted):
    assert weighted_ranking.compact(text) == compacted


def test_the_tokens_are_unique_and_three_letters_long_at_least():
    assert weighted_ranking.tokens("The cat and the PS5, in an old cat tree", 32) == [
        "the",
        "cat",
        "and",
        "ps5",
        "old",
        "tree",
    ]
    assert weighted_ranking.tokens("one two three four", 2) == ["one", "two"]


@pytest.mark.parametrize(
    ("question", "fact", "score"),
    [
        ("pineapple pizza", "User likes pineapple pizza.", 1.0),
        ("likes coffee pizza", "User likes pineapple pizza.", 2 / 3),
        ("what coffee", "Drinks coffee.", 0.5),
        ("??", "Drinks tea.", 0.0),
        ("东京", "住在东京", 0.0),
    ],
)
def test_the_lexical_score_is_the_share_of_words_found(question, fact, score):
    assert weighted_ranking.lexical(question, fact) == pytest.approx(score)


PARTS = {"semantic": 0.5, "lexical": 0.25, "confidence": 0.72, "recency": 0.5, "channel": 0.25}


@pytest.mark.parametrize(("vectors", "score"), [(True, 0.4395), (False, 0.322)])
def test_the_score_is_its_weighted_sum(vectors, score):
    assert weighted_ranking.combined(PARTS, vectors=vectors) == pytest.approx(score)


@pytest.mark.parametrize(
    ("semantic", "lexical", "score", "vectors", "gate"),
    [
        (0.20, 0.0, 0.1, True, "semantic"),
        (0.19, 0.22, 0.1, True, "lexical"),
        (0.19, 0.21, 0.51, True, ""),
        (0.08, 0.0, 0.52, True, "score"),
        (0.07, 0.10, 0.52, True, "score"),
        (0.07, 0.09, 0.99, True, ""),
        (0.99, 0.24, 0.1, False, "lexical"),
        (0.99, 0.23, 0.61, False, ""),
        (0.0, 0.0, 0.62, False, "score"),
    ],
)
def test_the_gate_has_three_branches_with_vectors_and_two_without(semantic, lexical, score, vectors, gate):
    assert weighted_ranking.gate({"semantic": semantic, "lexical": lexical}, score, vectors=vectors) == gate


def test_the_gate_by_score_is_out_of_reach_of_rows_that_fail_the_others():
    best = {"semantic": 0.199, "lexical": 0.219, "confidence": 1.0, "recency": 1.0, "channel": 1.0}
    assert weighted_ranking.combined(best, vectors=True) < 0.52
    assert weighted_ranking.combined({**best, "lexical": 0.239}, vectors=False) < 0.62


def test_the_preset_brings_weak_rows_back_unless_it_is_strict():
    weak = [candidate(1, "Plays the harp.", semantic=0.1), candidate(2, "Owns a cat.", semantic=0.05, age=3)]
    assert order(rank(weak, criteria=asked(), preset="seed000")) == [1, 2]
    assert rank(weak, criteria=asked(), preset="seed000", strict=True) == []


def test_the_preset_leaves_weak_rows_out_when_others_pass():
    rows = [candidate(1, "Plays the harp.", semantic=0.1), candidate(2, "Lives in Toronto.", semantic=0.6)]
    assert order(rank(rows, criteria=asked(), preset="seed000")) == [2]


def test_the_preset_asks_nothing_of_a_question_without_words_or_vectors():
    rows = [candidate(1, age=9), candidate(2, age=1)]
    assert order(rank(rows, criteria=asked("??"), preset="seed000", strict=True)) == [2, 1]
