"""Statements go to their sections; what is of the moment is known as such."""

from __future__ import annotations

import pytest

from profiles.revision.sections import facet_of, is_mood, is_vague, lasts, section_of, standing


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
        ("Starts a new job in Leeds.", "bio"),
        ("Took over from Tom as treasurer.", "bio"),
        ("Is the new treasurer of the choir.", "bio"),
        ("Is the older brother of Tim.", "relationships"),
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


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("Retires in June 2026", "bio"),
        ("Is in Leeds, moved up from Bristol for the job", "bio"),
        ("Goes back to five days in June 2026", "bio"),
        ("Repairs bicycles for a living", "bio"),
        ("Teaches maths at a high school", "bio"),
        ("Got the place at the conservatory, cello", "bio"),
        ("Gave up coffee", "opinions"),
        ("Gave up their job at the zoo", "bio"),
        ("Finished their drone licence", "skills"),
        ("Split up with Marta", "relationships"),
    ],
)
def test_work_homes_and_habits_are_in_their_sections(text, section):
    assert section_of(text) == section


@pytest.mark.parametrize(
    ("text", "facet", "long"),
    [
        ("Lives in Porto now", "home", 3),
        ("Is a vet nurse", "work", 3),
        ("Has a master's degree in oceanography", "study", 3),
        ("Has a brother named Bob", "family", 3),
        ("Their son was born on 15 February 2026", "family", 3),
        ("Has a cat named Miso", "pets", 3),
        ("Speaks Welsh", "languages", 3),
        ("Starts at the railways on 3 August 2026", "job", 2),
        ("Is moving to Kobe in May 2026", "move", 2),
        ("Is in Bristol", "stay", 1),
        ("Is in Tbilisi in the week of 23 February 2026", "stay", 0),
        ("Moved on from fish", "", 1),
        ("Likes olives", "", 2),
        ("Used to play the violin", "", 2),
        ("Made a cake in the form of a bridge", "", 1),
        ("Sleeps 90 minutes at a time", "", 0),
        ("Is a lover of old boats", "", 2),
    ],
)
def test_what_a_statement_tells_of_somebody_says_how_long_it_matters(text, facet, long):
    assert (facet_of(text), standing(text)) == (facet, long)


@pytest.mark.parametrize(
    "text",
    [
        "Got the job", "Took the keys", "Likes the number", "Is 1.92", "Owns 80 percent and is not selling",
        "Stopped when they were twelve", "Quit in March", "Paid that shield back in fish",
        "Is leaving at the end of May",
    ],
)  # fmt: skip
def test_what_was_spoken_of_before_makes_a_statement_vague(text):
    assert is_vague(text)


@pytest.mark.parametrize(
    "text",
    [
        "Got the job at the zoo", "Likes the sea", "Passed the bar", "Is 34", "Owns 80 percent of the company",
        "Stopped smoking in March", "Quit their job", "Thinks that cats are kind", "Has the flat below",
        "Left the navy in May",
    ],
)  # fmt: skip
def test_what_names_its_matter_is_not_vague(text):
    assert not is_vague(text)
