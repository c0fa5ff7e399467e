"""Two workers that learn the same fact at the same moment store it once, and lose nothing of what either heard."""

from __future__ import annotations

import pytest

from memory.facts.proposal import Proposal
from memory.facts.schemas import Decisions
from memory.learning import consolidation
from memory.models import Evidence, Fact, FactChange
from memoryhub.community.models import Guild, Member
from notes.models import Message
from tests.factories import NOON, make_channel, make_guild, make_member, make_message
from tests.verification.dying import race

pytestmark = pytest.mark.usefixtures("shared_database")
WORKERS, FACTS = 3, 12


@pytest.fixture
def guild() -> Guild:
    """Return a guild in which Alice said each of some facts once to each worker."""
    guild = make_guild()
    alice, channel = make_member(guild), make_channel(guild)
    for worker in range(WORKERS):
        for number in range(FACTS):
            make_message(f"I have {number} boats.", author=alice, channel=channel, platform_id=f"{worker}-{number}")
    return guild


def learn(guild: Guild, worker: int) -> None:
    """Settle each fact from the worker's own messages."""
    alice = Member.objects.get(guild=guild)
    for number in range(FACTS):
        message = Message.objects.get(platform_id=f"{worker}-{number}")
        proposal = Proposal(
            guild=guild, subject=alice, text=f"Has {number} boats.", kind="profile", confidence=0.5, explicit=True,
            said_at=NOON, quote=message.text, messages=[message],
        )  # fmt: skip
        consolidation.settle(proposal, actor="test", now=NOON, decide=lambda _: Decisions(decisions=[]))


def test_the_same_fact_from_several_workers_at_once_is_stored_once(guild):
    assert race(*(lambda worker=worker: learn(guild, worker) for worker in range(WORKERS))) == [0] * WORKERS
    facts = Fact.objects.active()
    assert sorted(facts.values_list("text", flat=True)) == sorted(f"Has {number} boats." for number in range(FACTS))
    assert set(facts.values_list("reinforcements", "confidence")) == {(WORKERS - 1, 0.7)}
    assert Evidence.objects.count() == WORKERS * FACTS
    assert FactChange.objects.filter(action="add").count() == FACTS


def test_the_very_same_message_read_by_two_workers_counts_once(guild):
    assert race(lambda: learn(guild, 0), lambda: learn(guild, 0)) == [0, 0]
    assert set(Fact.objects.values_list("status", "reinforcements", "confidence")) == {("active", 0, 0.5)}
    assert Evidence.objects.count() == FACTS
