"""Statements go to their sections; what is of the moment is known as such."""

from __future__ import annotations

import pytest

from profiles.revision.sections import is_mood, is_vague, lasts, section_of


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


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("Lives in Toronto.", "bio"),
        ("Moved to Berlin in May 2025.", "bio"),
        ("Works as a vet nurse.", "bio"),
        ("Loves hiking in the Alps.", "interests"),
        ("Plays Dungeons & Dragons every Friday.", "interests"),
        ("Plays the cello.", "skills"),
        ("Speaks fluent Japanese.", "skills"),
        ("Prefers Linux over Windows.", "opinions"),
        ("Doesn't like pineapple on pizza.", "opinions"),
        ("Has a dog named Bento.", "relationships"),
        ("Their sister lives in Rome.", "relationships"),
        ("Is married to Sam.", "relationships"),
        ("Is a naval architect at the shipyard.", "bio"),
        ("Is starting their own workshop.", "bio"),
        ("Rented a flat in Bergen.", "bio"),
        ("Has been programming in Rust for two years.", "skills"),
        ("Plays the accordion.", "skills"),
        ("Took up astrophotography.", "interests"),
        ("Walks along the sea every morning.", "interests"),
        ("Bob is their little brother.", "relationships"),
        ("Has a tortoise called Helmut.", "relationships"),
        ("Was let go on 12 March 2026.", "bio"),
        ("Got new customers for the ferry in May 2026.", "bio"),
        ("Went camping in June 2023.", "interests"),
        ("Is sticking to their workout routine.", "interests"),
        ("Wrote a poem for their sister.", "interests"),
        ("Worked hard on another script.", "interests"),
        ("Learned to weld.", "skills"),
        ("Learned that the hard way.", "other"),
        ("Can't come on 3 March 2026.", "other"),
        ("Contacted their aunt on 3 March 2026.", "relationships"),
        ("Bought a PS5 in December 2025.", "other"),
        ("Their donkey has no hobbies.", "relationships"),
        ("Their step-sister bakes.", "relationships"),
        ("Is stepping back from the grand jury.", "other"),
        ("Commutes from Ghent and reads on the train.", "bio"),
        ("Is going to take over the bakery.", "bio"),
        ("Moves to Turku with their mother in June 2026.", "bio"),
        ("The picture is from a lake near their hometown.", "other"),
        ("Fixes their roof.", "other"),
        ("京都に住んでいます。", "other"),
    ],
)
def test_a_statement_goes_to_its_section(text, section):
    assert section_of(text) == section


def test_the_facts_kind_decides_where_no_rule_speaks():
    assert section_of("京都に住んでいます。", kind="profile") == "bio"


@pytest.mark.parametrize("text", ["Likes it", "Raised a good amount in the end", "Has been there.", "Got them now"])
def test_what_says_nothing_by_itself_is_vague(text):
    assert is_vague(text)


@pytest.mark.parametrize("text", ["Sings", "Lives in Oslo", "Has a lot of cats", "Has a few cats"])
def test_what_says_something_is_not(text):
    assert not is_vague(text)
