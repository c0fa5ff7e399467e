"""A model is asked for a profile only where there is something to work in, or to go over."""

from datetime import date

import pytest

from profiles.revision.new_information import brings_news, leaves_work
from profiles.revision.schemas import ProfileFact, ProfileNote, RevisionInput, StoredEntry

NOTE, OLD = 7, 3


def given(summary="They painted a boat.", *, member="Alice", entries=(), facts=()):
    return RevisionInput(
        member=member,
        notes=[ProfileNote(id=NOTE, day=date(2026, 2, 23), title="A boat", summary=summary)],
        entries=[StoredEntry(id=n, section="bio", text=text, notes=[note]) for n, (text, note) in enumerate(entries)],
        facts=[ProfileFact(text=text, notes=[note]) for text, note in facts],
    )


def test_a_conversation_that_says_nothing_of_a_member_brings_no_news():
    assert not brings_news(given())
    assert not leaves_work(given())


def test_without_a_note_there_is_nothing_that_a_line_could_rest_on():
    assert not brings_news(RevisionInput(member="Alice", facts=[ProfileFact(text="Lives in Oslo.")]))


def test_a_fact_from_the_note_is_news():
    assert brings_news(given(facts=[("Lives in Oslo.", NOTE)]))


def test_a_fact_from_an_earlier_note_is_none():
    assert not brings_news(given(facts=[("Lives in Oslo.", OLD)]))


def test_a_fact_that_a_line_says_already_is_none():
    assert not brings_news(given(entries=[("Lives in Oslo", OLD)], facts=[("Lives in Oslo.", NOTE)]))


def test_a_fact_that_contradicts_a_line_is_news():
    assert brings_news(given(entries=[("Lives in Oslo", OLD)], facts=[("Lives in Rome.", NOTE)]))


@pytest.mark.parametrize(
    ("member", "summary"),
    [
        ("Alice", "alice’s boat is blue."),
        ("Alice Smith", "Smith painted a boat."),
        ("安娜", "安娜喜欢船。"),
        ("The Captain", "The boat belongs to Captain."),
        ("🦊", "Somebody painted a boat."),
    ],
)
def test_a_note_that_names_the_member_waits_for_the_night(member, summary):
    assert not brings_news(given(summary, member=member))
    assert leaves_work(given(summary, member=member))


@pytest.mark.parametrize(("member", "summary"), [("Al", "Alice painted a boat."), ("The Captain", "The boat is blue.")])
def test_a_part_of_a_word_and_a_common_word_name_nobody(member, summary):
    assert not leaves_work(given(summary, member=member))


ENTRIES = [("Lives in Oslo", OLD), ("Home is Oslo", NOTE)]


def test_at_night_lines_of_the_day_are_gone_over_where_others_stand_beside_them():
    assert leaves_work(given(entries=ENTRIES))
    assert not brings_news(given(entries=ENTRIES))
    assert not leaves_work(given(entries=ENTRIES[1:]))
    assert not leaves_work(given(entries=[ENTRIES[0], ("Likes jazz", OLD)]))


def test_at_night_what_a_note_tells_of_a_member_is_worked_in():
    assert leaves_work(given("Alice moved to Rome.", entries=ENTRIES[:1]))
    assert leaves_work(given("Alice moved to Rome."))
    assert leaves_work(given("Alice moved to Rome.", facts=[("Lives in Rome.", NOTE)]))
