"""The bot never learns from itself: neither its replies nor the memory it was handed teach anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args
from unittest.mock import patch

import pytest

from memory import pipeline
from memory.context import builder
from memory.curation import guild_settings
from memory.facts.schemas import Candidate, Candidates
from memory.models import Evidence, Fact
from memory.recall.search import recall
from memoryhub import language
from memoryhub.ai import Task
from memoryhub.community.models import Channel, Guild, Member
from notes.models import Arrangement, InteractionNote, Message
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
        builder.Turn(
            guild=guild, channel=channel, members=people, text="Where does everybody live?", format=form,
            now=NOON + minutes(3),
        )
        for form in get_args(builder.Format)
    ]  # fmt: skip
    return [builder.build(turn).text for turn in turns]


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


def parrot(task: Task[Any, Any], given: Any, *, guild: int | None) -> Any:
    """Stand in for a model that takes every sentence it reads for a fact about each speaker."""
    if task.purpose != "extraction":
        return task.offline(given)
    lines = [line for line in given.lines if line.message in given.learn_from]
    people = {line.author for line in given.lines}
    return Candidates(
        facts=[
            Candidate(
                text=told[:400], subject=about, kind="other", confidence=0.8, explicit=True, quote=told,
                messages=[line.message],
            )
            for line in lines for told in language.sentences(line.text) for about in people
        ]
    )  # fmt: skip


@pytest.fixture(params=["rules", "parrot"])
def reader(request: pytest.FixtureRequest) -> Iterator[str]:
    """Have the messages read by the rules, and by the most credulous of models."""
    if request.param == "rules":
        yield "rules"
        return
    with patch("memory.learning.extraction.ask", parrot):
        yield "parrot"


def single_lines(guild: Guild) -> list[str]:
    """Return the lines of the contexts one by one, without the fence, as somebody would copy one."""
    lines = [line.strip() for text in contexts_of(guild)[:2] for line in text.splitlines()]
    return [line for line in lines if len(line) > 12 and not line.startswith(("<", "#", "Remembered"))]


def test_memory_that_a_member_quotes_a_hundred_times_teaches_nothing(guild, reader):
    before, said = knowledge(guild), contexts_of(guild) + single_lines(guild)
    assert any("Lisbon" in line for line in single_lines(guild))
    for number in range(TIMES):
        say(said[number % len(said)], "Mallory", at=NOON + minutes(10 + number))
    pipeline.digest(None, now=NOON + minutes(200))
    after = knowledge(guild)
    assert {name: after[name] for name in LEARNED[:2]} == {name: before[name] for name in LEARNED[:2]}
    assert reinforced(guild) == 0


def test_what_the_bot_replied_teaches_nothing_when_a_member_repeats_it(guild, reader):
    reply = "Alice lives in Lisbon and works at the city library, if I remember well."
    before = knowledge(guild)
    say(reply, "Hubbot", is_bot=True, at=NOON + minutes(5))
    for number in range(12):
        say(("", "> ", "Hubbot: ")[number % 3] + reply, "Mallory", at=NOON + minutes(10 + number))
    pipeline.digest(None, now=NOON + minutes(200))
    assert (knowledge(guild)["facts"], reinforced(guild)) == (before["facts"], 0)


def test_who_says_the_same_of_themselves_again_is_still_heard(guild):
    say("I live in Lisbon and I work at the city library.", "Alice", at=NOON + minutes(60))
    say("I live in Lisbon.", "Carol", at=NOON + minutes(61))
    pipeline.digest(None, now=NOON + minutes(200))
    assert reinforced(guild) == 2  # where she lives, and where she works
    assert Fact.objects.active().filter(subject__display_name="Carol", text="Lives in Lisbon.").exists()


def test_a_bot_that_is_heard_may_not_repeat_memory_either(guild):
    guild.heard_bots = ["u-relay"]
    guild.save(update_fields=["heard_bots"])
    before = knowledge(guild)
    for number, line in enumerate(contexts_of(guild) + single_lines(guild)):
        say(line, "Relay", is_bot=True, at=NOON + minutes(10 + number))
    pipeline.digest(None, now=NOON + minutes(200))
    assert (knowledge(guild)["facts"], reinforced(guild)) == (before["facts"], 0)


@pytest.mark.parametrize("mark", ["is_bot", "is_own_bot"])
def test_what_was_learned_from_a_bot_before_it_was_known_as_one_goes(mark):
    talk = ["I work at the city library.", "I love jazz.", "The harbour is closed.", "The bridge is open again."]
    for number, text in enumerate(talk):
        say(text, "Hubbot", at=NOON + minutes(number))
        say(f"@Hubbot good to know about that, number {number}", "Alice", at=NOON + minutes(number))
    say("I love jazz.", "Alice", at=NOON + minutes(9))
    say("We decided to meet on Friday at the library.", "Hubbot", channel="plans", at=NOON)
    pipeline.digest(None, now=NOON + minutes(100))
    bot, guild = Member.objects.get(display_name="Hubbot"), north()
    assert Fact.objects.filter(subject=bot).exists()
    assert InteractionNote.objects.filter(participants=bot).exists()
    assert Arrangement.objects.exists()
    say("Alice loves jazz, I hear.", "Hubbot", **{mark: True}, at=NOON + minutes(200))
    with patch.object(pipeline, "FORGOTTEN_AT_ONCE", 2):
        pipeline.tick(now=NOON + minutes(201))
    assert not Evidence.objects.filter(message__author=bot).exists()
    assert not Arrangement.objects.exists()
    assert [fact.subject.display_name for fact in Fact.objects.active()] == ["Alice"]
    assert not InteractionNote.objects.filter(participants=bot).exists()
    assert Message.objects.of(guild).exclude(text="").count() == 11
    assert Member.objects.get(pk=bot.pk).unlearned_to is None


def test_a_bot_that_is_heard_keeps_what_it_taught():
    say("I work at the city library.", "Relay", at=NOON)
    Guild.objects.update(heard_bots=["u-relay"])
    say("I love jazz.", "Relay", is_bot=True, at=NOON + minutes(1))
    pipeline.digest(None, now=NOON + minutes(2))
    assert Fact.objects.active().count() == 2
    guild_settings.change_settings(north(), {"heard_bots": []}, actor="ui:rin", now=NOON + minutes(3))
    say("Beep.", "Relay", is_bot=True, at=NOON + minutes(4))
    pipeline.digest(None, now=NOON + minutes(5))
    assert Fact.objects.active().count() == 2


def test_what_a_bot_taught_is_taken_back_before_a_digest_by_hand():
    say("I work at the city library.", "Relay", at=NOON)
    pipeline.digest(None, now=NOON + minutes(1))
    say("Beep.", "Relay", is_bot=True, at=NOON + minutes(2))
    pipeline.digest(None, now=NOON + minutes(3))
    assert not Fact.objects.active().exists()


def reinforced(guild: Guild) -> int:
    return sum(Fact.objects.of(guild).values_list("reinforcements", flat=True))
