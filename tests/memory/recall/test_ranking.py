from datetime import timedelta

import pytest

from memory.recall.ranking import DEFAULT, PRESETS, rank, recency, same_channel
from tests.memory.candidates import NOW, asked, candidate, order


@pytest.mark.parametrize(("age", "score"), [(0, 1.0), (45, 0.5), (90, 1 / 3), (-3, 1.0)])
def test_the_recency_halves_in_45_days(age, score):
    assert recency(NOW - timedelta(days=age), NOW) == pytest.approx(score, abs=5e-5)


def test_the_recency_is_the_same_a_moment_later():
    said_at = NOW - timedelta(hours=3)
    assert recency(said_at, NOW) == recency(said_at, NOW + timedelta(seconds=1))


@pytest.mark.parametrize(("here", "there", "score"), [(7, 7, 1.0), (7, None, 0.25), (7, 8, 0.0), (None, None, 0.0)])
def test_the_channel_score_knows_same_none_and_other(here, there, score):
    assert same_channel(here, there) == score


def test_equal_scores_put_the_newer_first():
    rows = [candidate(1, age=400, channel=1), candidate(2, age=400, channel=1, text="Lives in Rome."), candidate(3)]
    ranked = rank(rows, criteria=asked("nothing alike"), preset=DEFAULT)
    assert order(ranked) == [3, 2, 1]


def messages(*pairs):
    return [
        candidate(number, text, kind="message", semantic=cosine, words=words, before="Bob: Hm.")
        for number, (text, cosine, words) in enumerate(pairs, 1)
    ]


def test_of_messages_without_a_word_of_the_question_the_nearest_comes_first():
    rows = messages(("Toronto it is since March.", 0.87, 0), ("Live music at nine.", 0.79, 2.0), ("Ok.", 0.78, 0))
    assert order(rank(rows, criteria=asked("which city does she dwell in and live"), preset=DEFAULT))[0] == 1


def test_of_messages_that_have_the_rare_words_the_nearest_does_not_come_first():
    rows = messages(("Toronto it is since March.", 0.87, 0), ("The harp cost 90 at the flea market.", 0.82, 9.0))
    assert order(rank(rows, criteria=asked("what did the harp cost at the flea market"), preset=DEFAULT))[0] == 2


def test_the_message_before_counts_as_what_a_message_tells():
    rows = [
        candidate(1, "Ninety, I think.", kind="message", before="Bob: What did the harp cost?", words=2.0),
        candidate(2, "The harp is here.", kind="message", words=2.0),
    ]
    ranked = rank(rows, criteria=asked("what did the harp cost"), preset=DEFAULT)
    assert order(ranked) == [1, 2]
    assert ranked[0].parts["told"] == pytest.approx(1)


def test_scores_are_scaled_before_they_are_added():
    packed = [candidate(1, "Alice lives here.", semantic=0.81, words=9.0), candidate(2, "Owns a cat.", semantic=0.83)]
    first = rank(packed, criteria=asked())[0]
    assert first.candidate.id == 1
    assert first.parts["semantic"] == pytest.approx(0.55)
    assert first.parts["lexical"] == 1.0


def test_the_best_word_score_counts_less_where_the_text_has_little_of_the_question():
    row = candidate(1, "The hills.", words=9.0)
    (only,) = rank([row], criteria=asked("who lives near Rome, in the hills", thresholds=None))
    assert only.parts["lexical"] == pytest.approx(0.5 + 0.5 / 4)


def test_the_best_word_score_of_a_note_counts_whole_since_the_words_stand_in_its_talk():
    row = candidate(1, "The hills.", kind="note", words=9.0)
    (only,) = rank([row], criteria=asked("who lives near Rome, in the hills", thresholds=None))
    assert only.parts["lexical"] == pytest.approx(1)


def test_what_comes_from_a_conversation_about_the_question_ranks_higher():
    rows = [candidate(1, semantic=0.81), candidate(2, "Owns a cat.", semantic=0.80, support=0.6)]
    assert order(rank(rows, criteria=asked())) == [2, 1]


def test_what_was_said_at_the_time_that_is_asked_about_ranks_higher():
    rows = [candidate(1, semantic=0.83), candidate(2, "Owns a cat.", semantic=0.83, age=240)]
    assert order(rank(rows, criteria=asked("where did Alice live last summer"))) == [2, 1]
    assert order(rank(rows, criteria=asked("where did Alice live"))) == [1, 2]


def test_an_answer_ranks_before_the_question_that_it_answers():
    rows = [
        candidate(1, "Where did you get the kayak?", words=5.0),
        candidate(2, "A kayak from the market.", words=5.0),
    ]
    assert order(rank(rows, criteria=asked("kayak", thresholds=None))) == [2, 1]


def test_recency_and_confidence_decide_only_between_equals():
    old, new = candidate(1, semantic=0.88, age=900), candidate(2, "Owns a cat.", semantic=0.85, confidence=1.0)
    assert order(rank([old, new], criteria=asked())) == [1, 2]
    twin = candidate(3, "Lives in Rome.", semantic=0.88, confidence=1.0, age=900)
    assert order(rank([old, twin], criteria=asked())) == [3, 1]


def test_without_an_embedder_words_alone_decide():
    rows = [candidate(1, words=1.0), candidate(2, "Alice lives in Rome.", words=4.0)]
    assert order(rank(rows, criteria=asked(thresholds=None))) == [2, 1]


def test_a_fact_that_is_not_embedded_yet_is_found_by_its_words():
    fresh = candidate(1, "Lives in Toronto.", words=5.0, name="Alice")
    rows = [fresh, *(candidate(number, f"Owns {number} cats.", semantic=0.79) for number in range(2, 6))]
    assert order(rank(rows, criteria=asked()))[0] == 1


def test_strict_returns_nothing_when_nothing_is_about_the_question():
    rows = [candidate(1, "Owns a cat.", semantic=0.72), candidate(2, "Plays the harp.", semantic=0.74)]
    assert rank(rows, criteria=asked("how do I install gentoo"), strict=True) == []


def test_a_members_name_alone_passes_no_gate():
    row = candidate(1, "Owns a cat.", name="Alice", words=2.0, semantic=0.72)
    assert rank([row], criteria=asked("when does Alice commute"), strict=True) == []


@pytest.mark.parametrize("question", ["", "who is it", "?!"])
def test_a_question_without_words_is_covered_by_nothing(question):
    rows = [candidate(1, "Owns a cat.", name="Alice", words=2.0), candidate(2, "Plays the harp.")]
    assert [each.parts["covered"] for each in rank(rows, criteria=asked(question))] == [0.0, 0.0]


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
    assert rank([row], criteria=asked("who lives near Rome, in the hills"))[0].gate == gate


@pytest.mark.parametrize("preset", PRESETS)
def test_each_ranking_explains_its_scores_and_names_the_gate_passed(preset):
    (found,) = rank(
        [candidate(1, "Lives near Rome.", semantic=0.88)], criteria=asked("who lives near Rome"), preset=preset
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
        if rank([row], criteria=asked(question, strictness=each), strict=True)
    ]
    assert told == passing


def test_a_brief_message_gives_way_to_one_that_says_something():
    brief, telling = messages(("you'll cry", 0.85, 0), ("Thesis topic accepted, oysters and what they eat!", 0.83, 0))
    ranked = rank([brief, telling], criteria=asked("what is the dissertation about"), preset=DEFAULT)
    assert order(ranked) == [telling.id, brief.id]
    assert [each.parts["brief"] > 0 for each in ranked] == [False, True]


def test_what_only_counts_against_a_message_makes_no_score_below_nothing():
    (row,) = rank(messages(("?", 0.5, 0)), criteria=asked("what is the dissertation about"))
    assert row.score == 0


def test_a_short_line_of_a_script_with_short_words_is_not_brief():
    (row,) = rank(messages(("私は去年の春から大阪に住んでいます", 0.8, 0)), criteria=asked("where do you live"))
    assert row.parts["brief"] == 0
