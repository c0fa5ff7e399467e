"""The short summary of a profile: who somebody is first, then what they care about, and little else."""

from __future__ import annotations

import pytest

from profiles.revision.schemas import Entry
from profiles.revision.sections import section_of
from profiles.revision.summary import summarise


def summary_of(*texts: str, member: str = "Alice") -> str:
    return summarise(member, [Entry(section=section_of(text), text=text) for text in texts])


def test_who_they_are_comes_first_whatever_is_newest():
    told = summary_of(
        "Gave up coffee", "Likes jazz", "Speaks Welsh", "Has a brother named Bob", "Is a nurse", "Lives in Oslo"
    )
    assert told.startswith(
        "Alice lives in Oslo, is a nurse, has a brother named Bob, and speaks Welsh. Alice likes jazz"
    )


def test_a_change_of_work_has_a_sentence_behind_what_they_care_about():
    assert summary_of("Starts at the zoo in May 2026", "Lives in Oslo", "Likes jazz", "Likes tea") == (
        "Alice lives in Oslo. Alice likes jazz and tea. Alice starts at the zoo in May 2026."
    )


def test_what_was_done_once_is_told_only_of_whom_little_is_known():
    assert (
        summary_of("Made a cake for the fair", "Lives in Oslo")
        == "Alice lives in Oslo. Alice made a cake for the fair."
    )
    known = summary_of("Made a cake for the fair", "Lives in Oslo", "Is a nurse", "Likes jazz")
    assert known == "Alice lives in Oslo and is a nurse. Alice likes jazz."


@pytest.mark.parametrize("text", ["Did ten years of embedded software", "Cried, but not at the city's expense"])
def test_whatever_verb_comes_first_whose_doing_it_was_is_told(text):
    assert summary_of(text) == f"Alice {text[0].lower()}{text[1:]}."


@pytest.mark.parametrize(
    "text", ["Slept 3 hours", "Is exhausted", "Went to the beach recently", "Got the job", "Is 1.92"]
)
def test_what_passes_and_what_says_nothing_is_never_told(text):
    assert summary_of(text) == ""


def test_what_they_care_about_is_not_what_was_said_of_who_they_are():
    assert summary_of("Loves living in Porto", "Lives in Porto now", "Hates sanding") == (
        "Alice lives in Porto. Alice hates sanding."
    )


def test_where_they_stay_stands_for_a_home_that_is_not_known():
    assert summary_of("Is in Leeds, moved up from Bristol") == "Alice is in Leeds."
    assert summary_of("Is in Leeds, moved up from Bristol", "Lives in Hull") == "Alice lives in Hull."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Is a nurse at the Rhine Clinic now, on the children's ward",
            "is a nurse at the Rhine Clinic, on the children's ward",
        ),
        ("Lives in Kobe now, can see the harbour", "lives in Kobe"),
        ("Has choir on Wednesdays, but only until Easter", "has choir on Wednesdays, but only until Easter"),
        ("Sings in a band, doesn't want to tour", "sings in a band, doesn't want to tour"),
    ],
)
def test_what_is_added_goes_unless_it_takes_back_what_stands_before_it(text, told):
    assert summary_of(text) == f"Alice {told}."


def test_what_has_a_subject_of_its_own_says_whose_it_is():
    assert summary_of("Their sister lives in Rome", "Is from Bergen", member="Sam (@sami)") == (
        "Sam (@sami) is from Bergen. Sam's sister lives in Rome."
    )


def test_a_verb_that_some_share_is_told_once():
    assert (
        summary_of("Has a brother named Bob", "Has a cat named Miso")
        == "Alice has a brother named Bob and a cat named Miso."
    )


def test_a_long_profile_keeps_to_the_length():
    texts = [f"Likes {letter * 300}" for letter in "abcd"]
    assert 300 < len(summary_of("Lives in Oslo", *texts)) <= 800
