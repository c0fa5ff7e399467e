from datetime import UTC, datetime, timedelta

import pytest

from memory.compatibility import weighted_ranking
from memory.recall.ranking import DEFAULT, PRESETS, SEED000, SEED002, Asked, Candidate, rank
from memoryhub.ai import Thresholds

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
E5 = Thresholds(same=0.85, duplicate=0.96, related=0.80, floor=0.70, ceiling=0.90)


def candidate(number, text="Lives in Toronto.", *, age=0, **fields):
    values = {"kind": "fact", "said_at": NOW - timedelta(days=age), **fields}
    return Candidate(id=number, text=text, **values)


def asked(question="where does Alice live", **fields):
    return Asked(question=question, now=NOW, **{"thresholds": E5, **fields})


def order(ranked):
    return [each.candidate.id for each in ranked]


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
def test_the_seed_compacts_text_to_ascii_words(text, compacted):
    assert weighted_ranking.compact(text) == compacted


def test_the_seeds_tokens_are_unique_and_three_letters_long_at_least():
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
    ("question", "fact", "evidence", "score"),
    [
        ("pineapple pizza", "User likes pineapple pizza.", "", 1.0),
        ("likes coffee pizza", "User likes pineapple pizza.", "", 2 / 3),
        ("what coffee", "Drinks tea.", "never coffee before noon", 0.5),
        ("??", "Drinks tea.", "", 0.0),
        ("东京", "住在东京", "", 0.0),
    ],
)
def test_the_seeds_lexical_score_is_the_share_of_words_found(question, fact, evidence, score):
    assert weighted_ranking.lexical(question, fact, evidence) == pytest.approx(score)


@pytest.mark.parametrize(("age", "score"), [(0, 1.0), (45, 0.5), (90, 1 / 3), (-3, 1.0)])
def test_the_seeds_recency_halves_in_45_days(age, score):
    assert weighted_ranking.recency(NOW - timedelta(days=age), NOW) == pytest.approx(score)


@pytest.mark.parametrize(("here", "there", "score"), [(7, 7, 1.0), (7, None, 0.25), (7, 8, 0.0), (None, None, 0.0)])
def test_the_seeds_channel_score_knows_same_none_and_other(here, there, score):
    assert weighted_ranking.channel(here, there) == score


PARTS = {"semantic": 0.5, "lexical": 0.25, "confidence": 0.72, "recency": 0.5, "channel": 0.25}


@pytest.mark.parametrize(("vectors", "score"), [(True, 0.4395), (False, 0.322)])
def test_the_seeds_score_is_its_weighted_sum(vectors, score):
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
def test_the_seeds_gate_has_three_branches_with_vectors_and_two_without(semantic, lexical, score, vectors, gate):
    assert weighted_ranking.gate({"semantic": semantic, "lexical": lexical}, score, vectors=vectors) == gate


def test_the_seeds_gate_by_score_is_out_of_reach_of_rows_that_fail_the_others():
    best = {"semantic": 0.199, "lexical": 0.219, "confidence": 1.0, "recency": 1.0, "channel": 1.0}
    assert weighted_ranking.combined(best, vectors=True) < 0.52
    assert weighted_ranking.combined({**best, "lexical": 0.239}, vectors=False) < 0.62


def test_the_seeds_preset_brings_weak_rows_back_unless_it_is_strict():
    weak = [candidate(1, "Plays the harp.", semantic=0.1), candidate(2, "Owns a cat.", semantic=0.05, age=3)]
    assert order(rank(weak, asked=asked(), preset=SEED000)) == [1, 2]
    assert rank(weak, asked=asked(), preset=SEED000, strict=True) == []


def test_the_seeds_preset_leaves_weak_rows_out_when_others_pass():
    rows = [candidate(1, "Plays the harp.", semantic=0.1), candidate(2, "Lives in Toronto.", semantic=0.6)]
    assert order(rank(rows, asked=asked(), preset=SEED000)) == [2]


def test_the_seeds_preset_asks_nothing_of_a_question_without_words_or_vectors():
    rows = [candidate(1, age=9), candidate(2, age=1)]
    assert order(rank(rows, asked=asked("??"), preset=SEED000, strict=True)) == [2, 1]


def test_equal_scores_put_the_newer_first():
    rows = [candidate(1, age=400, channel=1), candidate(2, age=400, channel=1, text="Lives in Rome."), candidate(3)]
    ranked = rank(rows, asked=asked("nothing alike"), preset=DEFAULT)
    assert order(ranked) == [3, 2, 1]


def test_scores_are_scaled_before_they_are_added():
    packed = [candidate(1, "Alice lives here.", semantic=0.81, words=9.0), candidate(2, "Owns a cat.", semantic=0.83)]
    first = rank(packed, asked=asked())[0]
    assert first.candidate.id == 1
    assert first.parts["semantic"] == pytest.approx(0.55)
    assert first.parts["lexical"] == 1.0


def test_the_best_word_score_counts_less_where_the_text_has_little_of_the_question():
    row = candidate(1, "The hills.", words=9.0)
    (only,) = rank([row], asked=asked("who lives near Rome, in the hills", thresholds=None))
    assert only.parts["lexical"] == pytest.approx(0.5 + 0.5 / 4)


def test_what_comes_from_a_conversation_about_the_question_ranks_higher():
    rows = [candidate(1, semantic=0.81), candidate(2, "Owns a cat.", semantic=0.80, support=0.6)]
    assert order(rank(rows, asked=asked())) == [2, 1]


def test_what_was_said_at_the_time_that_is_asked_about_ranks_higher():
    rows = [candidate(1, semantic=0.83), candidate(2, "Owns a cat.", semantic=0.83, age=240)]
    assert order(rank(rows, asked=asked("where did Alice live last summer"))) == [2, 1]
    assert order(rank(rows, asked=asked("where did Alice live"))) == [1, 2]


def test_an_answer_ranks_before_the_question_that_it_answers():
    rows = [
        candidate(1, "Where did you get the kayak?", words=5.0),
        candidate(2, "A kayak from the market.", words=5.0),
    ]
    assert order(rank(rows, asked=asked("kayak", thresholds=None))) == [2, 1]


def test_recency_and_confidence_decide_only_between_equals():
    old, new = candidate(1, semantic=0.88, age=900), candidate(2, "Owns a cat.", semantic=0.85, confidence=1.0)
    assert order(rank([old, new], asked=asked())) == [1, 2]
    twin = candidate(3, "Lives in Rome.", semantic=0.88, confidence=1.0, age=900)
    assert order(rank([old, twin], asked=asked())) == [3, 1]


def test_without_an_embedder_words_alone_decide():
    rows = [candidate(1, words=1.0), candidate(2, "Alice lives in Rome.", words=4.0)]
    assert order(rank(rows, asked=asked(thresholds=None))) == [2, 1]


def test_a_fact_that_is_not_embedded_yet_is_found_by_its_words():
    fresh = candidate(1, "Lives in Toronto.", words=5.0, name="Alice")
    rows = [fresh, *(candidate(number, f"Owns {number} cats.", semantic=0.79) for number in range(2, 6))]
    assert order(rank(rows, asked=asked()))[0] == 1


def test_strict_returns_nothing_when_nothing_is_about_the_question():
    rows = [candidate(1, "Owns a cat.", semantic=0.72), candidate(2, "Plays the harp.", semantic=0.74)]
    assert rank(rows, asked=asked("how do I install gentoo"), strict=True) == []


def test_a_members_name_alone_passes_no_gate():
    row = candidate(1, "Owns a cat.", name="Alice", words=2.0, semantic=0.72)
    assert rank([row], asked=asked("when does Alice commute"), strict=True) == []


@pytest.mark.parametrize("question", ["", "who is it", "?!"])
def test_a_question_without_words_is_covered_by_nothing(question):
    rows = [candidate(1, "Owns a cat.", name="Alice", words=2.0), candidate(2, "Plays the harp.")]
    assert [each.parts["covered"] for each in rank(rows, asked=asked(question))] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("text", "semantic", "gate"),
    [
        ("Works as a nurse.", 0.83, "semantic"),
        ("Works as a nurse.", 0.81, ""),
        ("Alice lives in Rome.", None, "lexical"),
        ("Drives to Rome daily.", 0.81, "both"),
        ("Drives to Rome daily.", 0.79, ""),
    ],
)
def test_the_gate_passes_by_meaning_by_words_or_by_some_of_both(text, semantic, gate):
    row = candidate(1, text, semantic=semantic, words=1.0)
    assert rank([row], asked=asked("who lives near Rome, in the hills"))[0].gate == gate


def test_seed_002_puts_surer_and_newer_ones_first_whatever_was_asked():
    rows = [
        candidate(1, semantic=0.9, words=9.0, confidence=0.4),
        candidate(2, "Owns a cat.", confidence=0.7, age=400),
        candidate(3, "Plays chess.", confidence=0.7, age=2),
    ]
    ranked = rank(rows, asked=asked(), preset=SEED002)
    assert order(ranked) == [3, 2, 1]
    assert [each.score for each in ranked] == [0.7, 0.7, 0.4]


@pytest.mark.parametrize("preset", PRESETS)
def test_each_ranking_explains_its_scores_and_names_the_gate_passed(preset):
    (found,) = rank(
        [candidate(1, "Lives near Rome.", semantic=0.88)], asked=asked("who lives near Rome"), preset=preset
    )
    assert found.gate in {"semantic", "lexical"}
    assert {"confidence", "recency"} <= set(found.parts)


@pytest.mark.parametrize(
    ("text", "semantic", "passing"),
    [
        ("Lives in Toronto.", None, ["loose", "usual", "strict"]),
        ("Alice rides home by bike.", 0.83, ["loose", "usual"]),
        ("Alice rides home by bike.", 0.81, ["loose"]),
        ("Drinks tea.", 0.70, []),
    ],
)
def test_a_guild_decides_how_well_a_memory_must_fit(text, semantic, passing):
    row = candidate(1, text, semantic=semantic, words=1.0)
    question = "who lives in Toronto" if semantic is None else "how does somebody commute"
    told = [
        each
        for each in ("loose", "usual", "strict")
        if rank([row], asked=asked(question, strictness=each), strict=True)
    ]
    assert told == passing
