"""Profiles without a model: what is kept, merged, moved and refused."""

from __future__ import annotations

import pytest

from profiles.revision.rules import revise
from profiles.revision.schemas import (
    LIMITS,
    PROFILE_CHARS,
    SOURCES,
    TOTAL,
    WORDS,
    ByRules,
    ProfileFact,
    Refusal,
    Revision,
    RevisionInput,
    StoredEntry,
)


def revision(
    *facts: ProfileFact | str, entries: tuple[StoredEntry, ...] = (), refused: tuple[str, ...] = ()
) -> Revision:
    learned = [ProfileFact(text=fact, notes=[1]) if isinstance(fact, str) else fact for fact in facts]
    return revise(
        RevisionInput(
            member="Alice", facts=learned, entries=list(entries), refused=[Refusal(text=text) for text in refused]
        )
    )


def shown(answer: Revision) -> list[tuple[str, str]]:
    return [(entry.section, entry.text) for entry in answer.entries]


def test_the_members_own_name_is_taken_off():
    assert shown(revision("Alice lives in Oslo.", "Alice's sister is a judge.")) == [
        ("bio", "Lives in Oslo"),
        ("relationships", "Their sister is a judge"),
    ]


def test_a_fact_without_a_note_makes_no_line():
    assert revision(ProfileFact(text="Lives in Oslo.")).entries == []


def test_a_statement_made_twice_is_one_line_with_both_sources():
    answer = revision(ProfileFact(text="Lives in Oslo.", notes=[4]), ProfileFact(text="Alice lives in Oslo", notes=[2]))
    assert [(entry.text, entry.notes) for entry in answer.entries] == [("Lives in Oslo", [2, 4])]


def test_the_fuller_of_two_statements_stays():
    assert shown(revision("Has a dog named Bento.", "Has a dog.")) == [("relationships", "Has a dog named Bento")]


@pytest.mark.parametrize(
    "other", ["Doesn't like jazz.", "Used to like jazz.", "Likes jazz festivals in Oslo and old rock bands."]
)
def test_what_differs_is_not_merged(other):
    assert len(revision("Likes jazz.", other).entries) == 2


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Starts at Clínica Ribeira on 19 October 2026.", "Is a nurse at Clínica Ribeira now."),
        ("Works as a vet at the Rhine Clinic.", "Quit their job at the Rhine Clinic."),
        ("Studies oceanography.", "Has a master's degree in oceanography."),
        ("Moved to Leeds in May 2024.", "Lives in Leeds with a flatmate."),
        ("Gave up coffee.", "Doesn't drink coffee anymore."),
        ("Doesn't eat meat anymore.", "Has stopped eating meat."),
        ("Has a cousin named Priya.", "Their cousin Priya lives in Leeds."),
        ("Got a new job.", "Starts as an engineer at Azulejo Labs."),
    ],
)
def test_of_one_matter_there_is_one_line_the_newest_with_its_own_source(older, newer):
    answer = revision(ProfileFact(text=older, notes=[1]), ProfileFact(text=newer, notes=[2]))
    assert [(entry.text, entry.notes) for entry in answer.entries] == [(newer.rstrip("."), [2])]


def test_what_says_less_of_a_tie_or_a_job_goes_though_it_is_newer():
    assert shown(revision("Their cousin Priya lives in Leeds.", "Has a cousin named Priya.")) == [
        ("relationships", "Their cousin Priya lives in Leeds")
    ]
    assert shown(revision("Works as an engineer at Azulejo Labs.", "Got a new job.")) == [
        ("bio", "Works as an engineer at Azulejo Labs")
    ]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Lives in Leeds.", "Works in Leeds."),
        ("Is a nurse at the Rhine Clinic.", "Is a vet at Azulejo Labs."),
        ("Studies law.", "Has a degree in music."),
        ("Gave up coffee.", "Doesn't eat meat anymore."),
        ("Their cousin Priya lives in Leeds.", "Their cousin Priya has a parrot."),
        ("Has a cousin named Priya.", "Has a cousin named Ben."),
        ("Got a new job.", "Is a nurse."),
    ],
)
def test_two_matters_are_two_lines(older, newer):
    assert len(revision(older, newer).entries) == 2


@pytest.mark.parametrize("text", ["Got the job.", "Likes the number.", "Stopped when they were twelve.", "Is 1.92."])
def test_what_says_nothing_by_itself_is_no_line(text):
    answer = revision(text, "Lives in Oslo.")
    assert shown(answer) == [("bio", "Lives in Oslo")]
    assert answer.summary == "Alice lives in Oslo."


def test_an_entry_goes_when_its_fact_has_gone():
    answer = revision("Lives in Rome.", entries=(StoredEntry(section="bio", text="Lives in Oslo", notes=[1], id=5),))
    assert shown(answer) == [("bio", "Lives in Rome")]
    assert [(gone.id, gone.why) for gone in answer.gone] == [(5, "no longer true")]


def test_an_entry_that_goes_on_keeps_its_id():
    stored = StoredEntry(section="relationships", text="Has a dog", notes=[1], id=5)
    assert [entry.id for entry in revision("Has a dog named Bento.", "Lives in Oslo.", entries=(stored,)).entries] == [
        None,
        5,
    ]


def test_a_refused_text_does_not_come_back():
    stored = StoredEntry(section="opinions", text="Hates cilantro", notes=[1], id=5)
    answer = revision("Hates cilantro.", entries=(stored,), refused=("hates Cilantro",))
    assert answer.entries == []
    assert [(gone.id, gone.why) for gone in answer.gone] == [(5, "refused")]


def test_a_pinned_entry_stays_word_for_word_in_its_section():
    mine = StoredEntry(section="other", text="queen of cheese, lives in Oslo!", notes=[], id=5, pinned=True)
    assert revision("Lives in Oslo.", "Is a nurse.", entries=(mine,)).entries[-1] == mine


def test_a_fact_that_a_pinned_entry_says_is_not_shown_twice():
    mine = StoredEntry(section="other", text="Lives in Oslo", notes=[3], id=5, pinned=True)
    answer = revision(ProfileFact(text="Lives in Oslo.", notes=[7]), entries=(mine,))
    assert [(entry.section, entry.notes) for entry in answer.entries] == [("other", [3, 7])]


def test_what_lasts_comes_before_what_is_of_the_moment_however_often_that_was_said():
    outing = ProfileFact(text="Went to the beach recently.", notes=[1, 2, 3])
    assert shown(revision(outing, ProfileFact(text="Is the queen of cheese.", notes=[1]))) == [
        ("other", "Is the queen of cheese"),
        ("other", "Went to the beach recently"),
    ]


def test_a_mood_is_no_line():
    mood = StoredEntry(section="other", text="Is over the moon because of the boat", notes=[1], id=5)
    answer = revision("Is over the moon because of the boat.", "Lives in Oslo.", entries=(mood,))
    assert shown(answer) == [("bio", "Lives in Oslo")]
    assert [(gone.id, gone.why) for gone in answer.gone] == [(5, "no room")]


def test_a_love_of_animals_is_an_interest_and_no_pet():
    assert shown(revision("Has always had a love for horses.")) == [("interests", "Has always had a love for horses")]


def test_the_strongest_come_first_and_the_weakest_are_left_out():
    facts = [ProfileFact(text=f"Likes {word}.", notes=[at], confidence=0.4) for at, word in enumerate("abcdefghijkl")]
    strong = ProfileFact(text="Likes sourdough.", notes=[1, 2, 3])
    answer = revision(*facts, strong)
    assert len(answer.entries) == LIMITS["interests"]
    assert answer.entries[0].text == "Likes sourdough"


def test_a_profile_of_a_thousand_facts_keeps_to_every_limit():
    verbs = ["Lives in", "Likes", "Speaks", "Thinks of", "Has a dog called", "Once saw"]
    facts = [
        ProfileFact(text=f"{verbs[at % 6]} place{at} " + "very " * 40, notes=list(range(at, at + 9)))
        for at in range(1000)
    ]
    answer = revision(*facts)
    assert len(answer.entries) <= TOTAL
    assert all(len(entry.text.split()) <= WORDS and len(entry.notes) <= SOURCES for entry in answer.entries)
    assert len(answer.summary) <= PROFILE_CHARS


def test_the_same_facts_give_the_same_profile_whatever_stood_before():
    facts = ("Lives in Oslo.", "Likes jazz.", "Has a cat named Tiger.")
    once = revision(*facts)
    stored = tuple(entry.model_copy(update={"id": at}) for at, entry in enumerate(once.entries))
    assert shown(revision(*facts, entries=stored)) == shown(once)


def test_the_summary_is_a_paragraph_about_the_member():
    answer = revision("Lives in Oslo.", "Works as a nurse.", "Has a cat named Tiger.")
    assert answer.summary == "Alice lives in Oslo, works as a nurse, and has a cat named Tiger."


def test_the_summary_gives_what_has_a_subject_of_its_own_a_sentence_of_its_own():
    answer = revision("Quit their job at the zoo.", "Their sister lives in Rome.", "Has a dog named Bento.")
    assert (
        answer.summary == "Alice has a dog named Bento. Alice's sister lives in Rome. Alice quit their job at the zoo."
    )


def test_nothing_known_makes_an_empty_profile():
    assert revision() == ByRules(entries=[], summary="")
