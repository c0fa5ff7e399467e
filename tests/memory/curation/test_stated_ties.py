"""Ties that members told of each other: found by name, by whom, within the guild, now or as of a day."""

import pytest

from memory.curation.stated_ties import read
from memoryhub.community import consent
from profiles.relationships import tie_lines
from tests.factories import NOON, days, make_channel, make_fact, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice():
    make_member(name="Bob")
    return make_member(name="Alice")


def found(**query):
    asked = {"as_of": None, "touching": None} | query
    ties = read(make_guild(), asked["as_of"], asked["touching"])
    return [(str(tie.subject), tie.word, str(tie.other)) for tie in ties]


@pytest.mark.parametrize(
    ("text", "ties"),
    [
        ("Bob is their little brother.", [("Alice", "brother", "Bob")]),
        ("Is MARRIED to bob.", [("Alice", "married", "Bob")]),
        ("Has a sister who likes bobsleighs.", []),
        ("Plays chess with Bob.", []),
        ("Alice is their own best friend.", []),
    ],
)
def test_a_tie_names_somebody_and_says_who_they_are(alice, text, ties):
    make_fact(text, subject=alice)
    assert found() == ties


def test_a_fact_of_the_kind_relationship_needs_no_such_word(alice):
    make_fact("Goes everywhere with Bob.", subject=alice, kind="relationship")
    assert found() == [("Alice", "", "Bob")]


def test_a_pet_of_a_members_name_is_no_tie_to_the_member(alice):
    make_fact("Has a dog named Bob.", subject=alice, kind="relationship")
    assert found() == []


def test_a_name_that_two_bear_means_nobody(alice):
    make_fact("Bob is their brother.", subject=alice)
    make_member(name="bob2", display_name="Bob")
    assert found() == []


@pytest.mark.parametrize("text", ["Has a twin brother named Bob.", "Is Bob's wife.", "Bob is their best friend."])
def test_a_tie_has_the_word_that_bots_are_told(alice, text):
    make_fact(text, subject=alice)
    assert [word for _, word, _ in found()] == [tie_lines.read(text.rstrip("."))[0]]


def test_who_said_it_and_who_may_be_told_comes_along(alice):
    staff = make_channel(name="staff", private=True)
    make_fact("Bob is their boss.", subject=alice, audience=staff, evidence=[make_message(author=make_member())])
    (tie,) = read(make_guild(), None, None)
    assert (str(tie.said_by), tie.audience, tie.seen_from(alice)) == ("Alice", staff, make_member(name="Bob"))


def test_the_ties_of_two_are_those_between_them(alice):
    bob, olga = make_member(name="Bob"), make_member(name="Olga")
    make_fact("Bob is their brother.", subject=alice)
    make_fact("Olga is their aunt.", subject=alice)
    assert found(touching=[bob, alice]) == [("Alice", "brother", "Bob")]
    assert found(touching=[bob]) == [("Alice", "brother", "Bob")]
    assert found(touching=[bob, olga]) == []


def test_a_tie_of_then_is_told_as_of_then(alice):
    make_fact("Bob is their boss.", subject=alice, said_at=NOON)
    assert found(as_of=NOON - days(1)) == []
    assert found(as_of=NOON + days(1)) == [("Alice", "boss", "Bob")]


def test_who_said_no_is_named_neither_as_the_source_nor_where_they_are_asked_for(alice):
    bob, carol = make_member(name="Bob"), make_member(name="Carol", remember=False)
    make_fact("Bob is their brother.", subject=alice, evidence=[make_message("Bob is her brother.", author=carol)])
    make_fact("Carol is their aunt.", subject=alice)
    [tie] = read(make_guild(), None, None)
    assert tie.said_by is None
    assert found(touching=[alice, bob]) == [("Alice", "brother", "Bob")]
    assert found(touching=[alice, carol]) == found(touching=[carol]) == []


def test_nobody_is_told_of_who_is_not_remembered_or_of_another_guild(alice):
    make_fact("Bob is their brother.", subject=alice)
    make_fact("Alice is their aunt.", subject=make_member(make_guild("discord:2"), "Charlie"))
    consent.choose(make_member(name="Bob"), remember=False, actor="member", now=NOON)
    assert found() == []
