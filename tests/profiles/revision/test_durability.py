"""What is of the moment is known as such."""

from __future__ import annotations

import pytest

from profiles.revision.durability import is_mood, lasts


@pytest.mark.parametrize(
    "text",
    [
        "Lives in Oslo",
        "Is happy with their new job at the zoo",
        "Has had a love for horses",
        "Is tired of politics",
        "Is busy with their bakery",
        "Got married in May 2021",
        "Is ready-witted",
        "Had a stroke of luck with the boat",
    ],
)
def test_what_holds_for_long_lasts(text):
    assert lasts(text)


@pytest.mark.parametrize(
    "text",
    [
        "Went to the beach recently",
        "Is looking for a cheap kayak",
        "Signed up for a class on 2 July 2023",
        "Joined a new group last Tues",
        "Took the first step towards a boat",
        "Doesn't go often",
    ],
)
def test_an_outing_and_what_is_under_way_do_not_last_and_are_no_mood(text):
    assert not lasts(text)
    assert not is_mood(text)


@pytest.mark.parametrize(
    "text", ["Is over the moon because of the store", "Was really excited", "Had a great time", "Feels so bored"]
)
def test_a_mood_is_one(text):
    assert is_mood(text)
    assert not lasts(text)
