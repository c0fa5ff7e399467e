"""The formula of the graph, by the figures of the code it comes from (docs/relationships.md)."""

import pytest

from profiles.relationships import strength
from profiles.relationships.strength import Counts


def today(acts, hours=0.0):
    return strength.strength([(0, acts, hours)])


@pytest.mark.parametrize(
    ("mentions", "weight", "sure"),
    [(1, 0.077, 0.221), (2, 0.148, 0.394), (3, 0.213, 0.528), (7, 0.429, 0.826), (16, 0.722, 0.982)],
)
def test_fresh_mentions_weigh_what_the_seed_makes_of_them(mentions, weight, sure):
    assert today(mentions) == pytest.approx(weight, abs=1e-3)
    assert strength.confidence(mentions, 0) == pytest.approx(sure, abs=1e-3)


WORDS = {"weak": (1, 2), "emerging": (3, 6), "moderate": (7, 15), "likely close": (16, 99)}


@pytest.mark.parametrize(("word", "mentions"), [(word, count) for word, counts in WORDS.items() for count in counts])
def test_the_words_change_where_the_seeds_do(word, mentions):
    assert strength.label(today(mentions)) == word


@pytest.mark.parametrize(
    ("value", "word"), [(0.0, "weak"), (0.2, "emerging"), (0.4, "moderate"), (0.7, "likely close")]
)
def test_a_word_begins_at_its_threshold(value, word):
    assert strength.label(value) == word


def test_half_is_left_after_eleven_and_a_half_days():
    assert strength.left(11) > 0.5 > strength.left(12)
    assert strength.left(0) == strength.left(-3) == 1.0


def test_hours_of_voice_count_by_their_logarithm_and_fade():
    assert today(0, 1.0) == pytest.approx(0.0273, abs=1e-4)  # 1 - e^(-0.2 * 0.2 * ln 2)
    assert strength.strength([(30, 0, 10.0)]) < today(0, 10.0) / 2


def test_one_new_mention_revives_nothing_old():
    old, new = (60, 20, 0.0), (0, 1, 0.0)
    assert strength.strength([old, new]) - strength.strength([old]) < today(1)
    assert strength.strength([old, new]) == pytest.approx(today(1 + 20 * strength.left(60)))


def test_more_than_five_hours_make_nothing_surer():
    assert strength.confidence(0, 5) == strength.confidence(0, 500)
    assert strength.confidence(1, 500) > strength.confidence(0, 500)


def test_conversations_together_alone_never_make_more_than_a_weak_edge():
    assert strength.label(today(0, Counts(together=500).hours)) == "weak"


def test_reciprocity_is_the_smaller_share_of_the_larger():
    assert strength.reciprocity(Counts(replies=3, mentions=1), Counts(mentions=2)) == 0.5
    assert strength.reciprocity(Counts(replies=1), Counts()) == 0.0
    assert strength.reciprocity(Counts(together=4), Counts(together=4)) == 0.0
