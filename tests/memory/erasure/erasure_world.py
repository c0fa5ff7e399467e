"""A small guild in which Alice, Bob and the bot spoke of one another: what an erasure has to find."""

from __future__ import annotations

from memory import pipeline
from memory.models import Fact
from memoryhub.community.models import Member
from tests.factories import NOON, minutes
from tests.incoming import north, say

ALICE = "u-alice"
BOAT = "I moved to Toronto last spring because of the sailing club there."
NOW = NOON + minutes(600)


def talk() -> Member:
    """Let them talk and digest it; return Alice."""
    say(BOAT, at=NOON)
    say("I work as a nurse at the harbour hospital, mostly night shifts.", at=NOON + minutes(1))
    say("Alice showed me the harbour, and I bought a small wooden boat from her cousin.", "Bob", at=NOON + minutes(2))
    say(
        "I live in Oslo and I keep two cats, <@u-alice> fed them all summer.",
        "Bob",
        mentions=[ALICE],
        at=NOON + minutes(3),
    )
    say("You moved to Toronto, Alice.", "Robot", is_bot=True, at=NOON + minutes(4))
    say("My sister is a carpenter and builds the boats that we sail on Sundays.", "Bob", at=NOON + minutes(5))
    pipeline.digest(north(), now=NOW)
    assert Fact.objects.filter(subject__platform_id=ALICE).exists()
    return Member.objects.get(platform_id=ALICE)
