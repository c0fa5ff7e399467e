"""What members say they are to each other is a relationship with a source, and wins over what is counted."""

from __future__ import annotations

import pytest

from profiles.models import Relationship, RelationshipDay
from profiles.relationships.graph import edges
from profiles.relationships.hints import hints
from profiles.relationships.tie_lines import read, ties
from profiles.relationships.tie_words import closeness
from tests.factories import NOON, days, make_channel, make_entry, make_guild, make_member, make_message, make_note

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("line", "tie", "words"),
    [
        ("Has a sister named Bob", "sister", "Bob is Alice's sister"),
        ("Has a twin brother, Bob", "brother", "Bob is Alice's brother"),
        ("Has a mother-in-law called Bob", "mother-in-law", "Bob is Alice's mother-in-law"),
        ("Their little sister Bob lives in Rome", "sister", "Bob is Alice's sister"),
        ("Lives with their girlfriend Bob", "girlfriend", "Bob is Alice's girlfriend"),
        ("Bob is their boss at the mill", "boss", "Bob is Alice's boss"),
        ("Is married to @Bob since 2020", "married to", "Alice is married to Bob"),
        ("Is Bob's wife", "wife", "Alice is Bob's wife"),
    ],
)
def test_a_line_that_names_somebody_states_a_tie(line, tie, words):
    found = read(line)
    assert found is not None
    assert (found[0], found[1], found[2].format(by="Alice", to="Bob")) == (tie, "Bob", words)


@pytest.mark.parametrize(
    "line",
    [
        "Has a sister", "Has a dog named Bob", "Bob is their ex-husband", "Was married to Bob", "Is married to the sea",
        "Likes Bob's wife", "Has a boss who is named after Bob", "Is Bob's wife's cousin",
    ],
)  # fmt: skip
def test_a_line_that_states_none_is_none(line):
    assert read(line) is None


def test_who_shares_a_life_is_nearer_than_family_and_family_than_work():
    levels = [closeness(tie) for tie in ("husband", "sister", "best friend", "boss")]
    assert levels == sorted(levels, reverse=True)
    assert len(set(levels)) == 4


@pytest.fixture
def alice():
    guild = make_guild()
    guild.relationships_on = True
    guild.save()
    return make_member(guild, "Alice")


@pytest.fixture
def bob(alice):
    return make_member(alice.guild, "Bob")


def state(text, by, **fields):
    return make_entry(text, member=by, section="relationships", **fields)


def graph(guild, **narrowed):
    said = ties(guild, **narrowed)
    return [(str(e.first), str(e.second), e.strength, e.stated and e.stated.words)
            for e in edges(RelationshipDay.objects.of(guild), guild=guild, now=NOON, stated=said)]  # fmt: skip


def test_a_stated_tie_is_an_edge_and_wins_over_what_is_counted(alice, bob):
    place = make_channel(alice.guild)
    RelationshipDay.objects.create(source=alice, target=bob, channel=place, day=NOON.date(), replies=1)
    (counted,) = edges(RelationshipDay.objects.of(alice.guild), guild=alice.guild, now=NOON)
    assert counted.strength < 0.2
    state("Has a husband named Bob", alice)
    assert graph(alice.guild) == [("Alice", "Bob", 0.95, "Bob is Alice's husband")]


def test_an_operators_level_wins_over_it(alice, bob):
    state("Has a husband named Bob", alice)
    Relationship.objects.create(first=alice, second=bob, level=0.1, actor="operator")
    assert graph(alice.guild)[0][2] == 0.1


def test_of_several_between_two_the_closest_counts(alice, bob):
    state("Has a boss named Bob", alice)
    state("Is Alice's husband", bob)
    assert graph(alice.guild) == [("Alice", "Bob", 0.95, "Bob is Alice's husband")]


def test_a_name_that_two_bear_or_nobody_or_oneself_makes_no_tie(alice, bob):
    state("Has a sister named Dora", alice)
    state("Has a twin named Alice", alice)
    assert graph(alice.guild) == []
    state("Has a sister named Bob", alice)
    assert len(graph(alice.guild)) == 1
    make_member(alice.guild, "Bob", platform_id="u-other-bob")
    assert graph(alice.guild) == []


def test_what_was_said_in_private_is_told_there_only(alice, bob):
    staff = make_channel(alice.guild, "staff", private=True)
    state("Has a husband named Bob", alice, audience=staff)
    assert graph(alice.guild) == []
    assert len(graph(alice.guild, channel=staff)) == 1


def test_nobody_who_is_not_to_be_remembered_is_in_one(alice, bob):
    state("Has a husband named Bob", alice)
    bob.remember = False
    bob.save()
    assert graph(alice.guild) == []
    bob.remember, alice.remember = True, False
    bob.save(), alice.save()
    assert graph(alice.guild) == []


def test_while_the_graph_is_off_there_is_none(alice, bob):
    state("Has a husband named Bob", alice)
    alice.guild.relationships_on = False
    assert ties(alice.guild) == {}


def test_a_refused_line_states_nothing(alice, bob):
    state("Has a husband named Bob", alice, status="refused")
    assert graph(alice.guild) == []


def test_a_hint_says_it_as_it_was_said_with_its_source(alice, bob):
    said = make_message("Bob is my husband.", author=alice)
    note = make_note("Dinner", messages=[said])
    state("Has a husband named Bob", alice, notes=[note])
    (hint,) = hints(alice.guild, members=[alice], channel=None, now=NOON)
    assert hint.text == "Bob is Alice's husband (as Alice said)."
    assert [source.note_id for source in hint.sources] == [note.pk]
    assert hints(alice.guild, members=[alice], channel=None, now=NOON, as_of=NOON - days(1)) == []
