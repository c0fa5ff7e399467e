"""mem0's filters: each way of writing them selects what it says, and what can't be understood selects nothing."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any
from uuid import uuid4

import pytest

from memory.mem0.filter_grammar import FilterRefused, parse
from memory.mem0.selection import listed
from memory.models import ClientData, Fact
from tests.factories import NOON, make_channel, make_fact, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db
ALICE = {"user_id": "u-alice"}


@pytest.fixture(autouse=True)
def _facts() -> None:
    """Arrange what two members, a bot and the guild are remembered by."""
    alice, bob, robot = make_member(name="Alice"), make_member(name="Bob"), make_member(name="Robot", is_bot=True)
    run = make_channel(name="r1", platform_id="r1", private=True, kind="direct")
    boat = make_fact("Sails a boat.", subject=alice, kind="preference")
    cello = make_fact("Plays the cello.", subject=alice, said_at=NOON + timedelta(days=2))
    make_fact("Bakes bread.", subject=alice, channel=run, audience=run)
    make_fact("Paints boats.", subject=bob)
    make_fact("Answers in rhymes.", subject=robot)
    make_fact("The cat rules.", kind="lore")
    learned = make_fact("Collects stamps.", subject=alice, evidence=[make_message("I collect stamps.", author=alice)])
    data = {"guild": make_guild(), "event": uuid4()}
    ClientData.objects.create(
        fact=boat,
        metadata={"n": 3, "team": "red", "a__b": 1, "1": "one", "-2": 5},
        app_id="app",
        categories=["sea", 'a"b'],
        expires_on=date(2999, 1, 1),
        **data,
    )
    ClientData.objects.create(fact=cello, metadata={"n": 7}, agent_id="u-robot", **data)
    ClientData.objects.create(message=learned.evidence.get().message, metadata={"n": 9}, app_id="old", **data)


def selected(wanted: dict[str, Any]) -> set[str]:
    """Return the first words of what is selected."""
    rows = listed(make_guild(), wanted, now=NOON, show_expired=False)
    return {fact.text.partition(" ")[0] for fact in rows}


CASES = [
    (ALICE, "Sails Plays Collects"),
    ({"user_id": "u-nobody"}, ""),
    ({"user_id": {"in": ["u-alice", "u-bob"]}}, "Sails Plays Collects Paints"),
    ({"user_id": "*"}, "Sails Plays Collects Paints"),
    ({"agent_id": "u-robot"}, "Plays Answers"),
    ({"app_id": "app"}, "Sails"),
    ({"app_id": "*"}, "Sails Collects"),
    ({"run_id": "r1"}, "Bakes"),
    ({"AND": [ALICE, {"run_id": "r1"}]}, "Bakes"),
    ({"OR": [{"user_id": "u-bob"}, {"run_id": "r1"}]}, "Paints Bakes"),
    ({"AND": [{"user_id": "*"}, {"run_id": "*"}]}, "Bakes"),
    ({**ALICE, "metadata": {"n": 3}}, "Sails"),
    ({**ALICE, "metadata": {"n": {"gte": 7}}}, "Plays Collects"),
    ({**ALICE, "metadata": {"team": {"icontains": "RE"}}}, "Sails"),
    ({**ALICE, "metadata": {"team": {"contains": "ed"}}}, "Sails"),
    ({**ALICE, "metadata": {"team": {"contains": "ED"}}}, ""),
    ({**ALICE, "metadata": {"team": "*"}}, "Sails"),
    ({**ALICE, "metadata": {"a__b": 1}}, "Sails"),
    ({**ALICE, "metadata": {"1": "one"}}, "Sails"),
    ({**ALICE, "metadata": {1: "one"}}, "Sails"),
    ({**ALICE, "metadata": {"1": {"contains": "ne"}}}, "Sails"),
    ({**ALICE, "metadata": {"1": "*"}}, "Sails"),
    ({**ALICE, "metadata": {"1": {"ne": "two"}}}, "Sails"),
    ({**ALICE, "metadata": {"1": {"in": ["one", "two"]}}}, "Sails"),
    ({**ALICE, "metadata": {"-2": {"gte": 5}}}, "Sails"),
    ({**ALICE, "metadata": {"team__regex": "."}}, ""),
    ({**ALICE, "metadata": {"n": {"in": [3, 9]}}}, "Sails Collects"),
    ({**ALICE, "categories": ["sea"]}, "Sails"),
    ({**ALICE, "categories": {"in": ["se"]}}, ""),
    ({**ALICE, "categories": {"contains": 'a"b'}}, "Sails"),
    ({**ALICE, "categories": {"in": ["preference"]}}, "Sails"),
    ({**ALICE, "NOT": {"categories": {"in": ["sea"]}}}, "Plays Collects"),
    ({"AND": [ALICE, {"NOT": [{"text": {"icontains": "CELLO"}}, {"app_id": "old"}]}]}, "Sails"),
    ({**ALICE, "keywords": "cello"}, "Plays"),
    ({**ALICE, "text": {"contains": "cello"}}, "Plays"),
    ({**ALICE, "text": {"contains": "CELLO"}}, ""),
    ({"AND": {"user_id": "u-alice"}}, "Sails Plays Collects"),
    ({**ALICE, "created_at": {"gte": "2026-03-03"}}, "Plays"),
    ({**ALICE, "created_at": {"lte": "2026-03-02"}}, "Sails Collects"),
    ({**ALICE, "timestamp": {"lt": 1}}, ""),
    ({**ALICE, "expiration_date": {"gte": "2998-01-01"}}, "Sails"),
    ({**ALICE, "user_id": {"ne": "u-bob", "eq": "u-alice"}}, "Sails Plays Collects"),
]


@pytest.mark.parametrize(("wanted", "texts"), CASES, ids=[str(number) for number in range(len(CASES))])
def test_a_filter_selects(wanted, texts):
    assert selected(wanted) == set(texts.split())


def test_ids_of_memories_select_them():
    boat = Fact.objects.get(text="Sails a boat.")
    assert selected({**ALICE, "memory_ids": [str(boat.pk), "x", "9" * 40]}) == {"Sails"}


@pytest.mark.parametrize(
    "wanted",
    [
        {}, {"metadata": {"n": 3}}, {"NOT": ALICE}, {"user_id": {"ne": "u-bob"}}, {"owner": "u-alice"},
        {**ALICE, "created_at": "soon"}, {**ALICE, "created_at": {"gte": 1e300}}, {"user_id": {"like": "u"}},
        {"user_id": {"in": "u-alice"}}, {"user_id": {"eq": ["u-alice"]}}, {"user_id": {"eq": {"x": 1}}},
        {**ALICE, "metadata": "red"}, {**ALICE, "memory_ids": "1"}, {"OR": []}, {"AND": ["u-alice"]},
        {**ALICE, "categories": {"gt": "a"}}, {"OR": [ALICE] * 400},
        {**ALICE, "metadata": {"n": {"in": 5}}}, {**ALICE, "metadata": {"n": {"gt": None}}},
        {**ALICE, "metadata": {"n": {"gt": 2**70}}}, {**ALICE, "created_at": {"contains": "2026-03-02"}},
        {**ALICE, "expiration_date": {"icontains": "2999-01-01"}},
        {**ALICE, "metadata": {"n": {"lt": [1]}}}, {**ALICE, "metadata": {"n": {"contains": {"a": 1}}}},
        {**ALICE, "metadata": {"n": {"icontains": None}}}, {"user_id": "\ud800"}, {"user_id": "u\x00"},
        {**ALICE, "metadata": {"\ud800": 1}}, {**ALICE, "metadata": {"n": {1, 2}}}, {**ALICE, "metadata": {"n": 1j}},
        {**ALICE, "metadata": {"n": float("nan")}}, {**ALICE, "metadata": {b"n": 1}},
        {**ALICE, "metadata": {"n": json.loads("[" * 500 + "]" * 500)}},
    ],
)  # fmt: skip
def test_what_names_nobody_or_can_not_be_understood_is_refused(wanted):
    with pytest.raises(FilterRefused):
        parse(wanted)


def test_filters_are_read_only_so_deep():
    deep: dict[str, Any] = ALICE
    for _ in range(20):
        deep = {"AND": [deep]}
    with pytest.raises(FilterRefused):
        parse(deep)
