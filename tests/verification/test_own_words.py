"""Promise 7: the bot never learns from itself: neither its replies nor the memory it was handed teach anything."""

from __future__ import annotations

from typing import get_args

import pytest

from memory import context, pipeline
from memory.recall import recall
from profiles.models import Channel, Guild, Member
from tests.factories import NOON, minutes
from tests.incoming import north, say
from tests.verification.portrait import knowledge

pytestmark = pytest.mark.django_db
TIMES = 100
LEARNED = ("facts", "entries", "profiles")


@pytest.fixture
def guild() -> Guild:
    """Return a guild that knows where Alice and Bob live."""
    say("I live in Lisbon and I work at the city library.", "Alice", at=NOON)
    say("I moved to Toronto last spring, and I love rainy mornings.", "Bob", at=NOON + minutes(1))
    pipeline.digest(None, now=NOON + minutes(2))
    assert knowledge(north())["facts"]
    return north()


def memory_of(guild: Guild) -> list[str]:
    """Return what a bot is handed, line by line."""
    return [memory.text for memory in recall(guild, question="Where does everybody live?", now=NOON + minutes(3))]


def contexts_of(guild: Guild) -> list[str]:
    """Return what a bot is handed before it replies, in each form."""
    people, channel = list(Member.objects.of(guild)), Channel.objects.of(guild).first()
    turns = [
        context.Turn(
            guild=guild, channel=channel, members=people, text="Where does everybody live?", format=form,
            now=NOON + minutes(3),
        )
        for form in get_args(context.Format)
    ]  # fmt: skip
    return [context.build(turn).text for turn in turns]


def replies(guild: Guild) -> list[str]:
    return [
        "\n".join(memory_of(guild)),
        *contexts_of(guild),
        "Alice lives in Lisbon and works at the city library, if I remember well.",
        "I live in the cloud, I love electricity and I moved to a new server last spring.",
        "We always meet here on Fridays, it's our tradition!",
    ]


def test_a_hundred_replays_of_its_own_words_teach_the_bot_nothing(guild):
    before, said = knowledge(guild), replies(guild)
    assert any("Lisbon" in line for line in said[0].splitlines())
    assert all("Lisbon" in each for each in contexts_of(guild))
    for number in range(TIMES):
        say(said[number % len(said)], "Hubbot", is_bot=True, at=NOON + minutes(10 + number))
    pipeline.digest(None, now=NOON + minutes(200))
    pipeline.consolidate(guild, day=NOON.date(), now=NOON + minutes(201))
    after = knowledge(guild)
    assert {name: after[name] for name in (*LEARNED, "notes")} == {name: before[name] for name in (*LEARNED, "notes")}


def test_between_the_words_of_members_the_words_of_a_bot_are_not_learned_from(guild):
    before = knowledge(guild)
    for number in range(20):
        say("thanks, that's kind of you to say", "Alice", at=NOON + minutes(10 + number))
        for reply in replies(guild):
            say(reply, "Hubbot", is_bot=True, at=NOON + minutes(10 + number))
    pipeline.digest(None, now=NOON + minutes(200))
    after = knowledge(guild)
    assert after["facts"] == before["facts"]
    assert "cloud" not in str(after["notes"]) + str(after["entries"])
