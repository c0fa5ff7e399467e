import pytest

from memory.recall.rare_words import shares
from memoryhub.language import stems

QUESTION = stems("Who plays the harp on Sunday?")


def test_a_rare_word_weighs_more_than_one_that_most_have():
    common = ["Chess on Sunday."] * 9
    rare, often = shares(QUESTION, ["The harp is old.", "Poker on Sunday.", *common])[:2]
    assert rare > 2 * often > 0


def test_all_of_the_words_are_the_whole():
    assert shares(QUESTION, ["On Sunday she plays the harp."]) == [pytest.approx(1)]


def test_a_word_that_nobody_says_counts_as_not_told():
    said, unsaid = shares(QUESTION, ["The harp."])[0], shares(stems("harp"), ["The harp."])[0]
    assert said < unsaid == 1


def test_a_question_without_words_shares_nothing():
    assert shares(frozenset(), ["The harp."]) == [0.0]
