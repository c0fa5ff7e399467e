"""What a statement may rest on; one that another made of themselves is known as theirs."""

from __future__ import annotations

import pytest

from profiles.revision.grounds import Grounds, Spoken, by_speaker

TALK = (
    (True, "That is great, I always wanted to see the fjords! I play the cello, too."),
    (False, "I live in Oslo now, with my two cats. You are such a good cook."),
    (False, "We moved here in May. I play the cello."),
    (False, "I heard that Alice paints houses. The zoo in Rome is closed."),
)


@pytest.mark.parametrize("text", ["Lives in Oslo", "Has two cats", "Lives in Oslo with two cats"])
def test_what_another_one_told_of_themselves_is_theirs(text):
    assert by_speaker("Alice", TALK).is_anothers(text)


@pytest.mark.parametrize(
    "text",
    [
        "Wants to see the fjords",  # her own words
        "Plays the cello",  # hers as well as another's
        "Is a good cook",  # told to her
        "Paints houses",  # told of her, by name
        "Moved here in May",  # "we" may be the two of them
        "Likes the zoo in Rome",  # nobody told it of themselves
    ],
)
def test_what_may_be_the_members_own_is_not_taken_for_anothers(text):
    assert not by_speaker("Alice", TALK).is_anothers(text)


def test_a_name_within_a_word_names_nobody():
    assert by_speaker("Al", [(False, "I also live in Oslo.")]).is_anothers("Lives in Oslo")


def test_where_no_words_are_left_nothing_is_anothers():
    assert not Spoken().is_anothers("Lives in Oslo")


@pytest.mark.parametrize(("text", "said"), [("Is 6'5 tall", True), ("Is 6'4 tall", False), ("Has 65 hats", False)])
def test_a_number_within_a_word_was_said_where_that_word_was(text, said):
    assert Grounds("Is 6'5 tall and has hats.").bear(text) is said
