"""Audience: what was said in a private channel or a direct chat is told nowhere else, however one asks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from django.contrib.auth.models import User

from botrunner.actions import show
from botrunner.actions.caller import Caller
from memory import pipeline
from memory.index import embeddings
from memory.models import Fact
from memoryhub.community.identity import Person
from memoryhub.community.models import Channel, Guild
from notes.messages.schemas import GuildRef, IncomingChannel
from notes.models import InteractionNote
from profiles.models import ProfileEntry
from tests import toy_embedder
from tests.factories import NOON, minutes
from tests.incoming import north, say
from tests.verification import answers

pytestmark = pytest.mark.django_db
NOW = NOON + minutes(300)

PLACES = {
    "general": {"id": "c-general"},
    "crew": {"id": "c-crew", "audience": "channel"},
    "thread": {"id": "c-thread", "kind": "thread", "parent_id": "c-crew", "audience": "channel"},
    "elsewhere": {"id": "c-elsewhere", "audience": "channel"},
    "direct": {"id": "c-direct", "kind": "direct", "audience": "channel"},
}
CANARIES = {"crew": "qxcrewq", "thread": "qxthreadq", "direct": "qxdirectq"}
SAYINGS = (
    "I live in {0} and I work at the {0} museum now.",
    "My favourite food is {0}, and I love {0} more than anything.",
    "We always meet in {0} on Fridays, it's our tradition.",
    "Did anybody hear of {0}? It is on the news again today, everybody talks about {0}.",
)
READERS = {
    "crew": ("crew", "thread"),
    "thread": ("thread",),
    "direct": ("direct",),
}
"""By place, where its words may be told: the channel itself and the threads below it."""


@pytest.fixture
def guild(monkeypatch) -> Guild:
    """Return a guild in which Alice told each private place a word of its own, and the whole guild none of them."""
    toy_embedder.install(monkeypatch)
    for number, (place, channel) in enumerate(PLACES.items()):
        word = CANARIES.get(place, "harbour").capitalize()
        for i, saying in enumerate(SAYINGS):
            author = ("Alice", "Bob")[i % 2]
            say(saying.format(word), author, channel=channel, at=NOON + minutes(i + 10 * number), now=NOW)
    pipeline.digest(None, now=NOW)
    pipeline.consolidate(north(), day=NOON.date(), now=NOW)
    embeddings.embed_missing(100)
    return north()


def told(guild: Guild, place: str | None) -> str:
    """Return all that can be heard of every word, asked in a place or where the whole guild reads."""
    channel = Channel.objects.of(guild).get(platform_id=PLACES[place]["id"]) if place else None
    questions = [*CANARIES.values(), "Where does Alice live?", "What do we do on Fridays?", *_sentences()]
    return read(answers.asked_of(guild, questions, now=NOW, channel=channel))


def read(found: Iterable[answers.Said]) -> str:
    """Return what was answered, without the question."""
    return " ".join(text for _, text in found).casefold()


def _sentences() -> list[str]:
    return [saying.format("") for saying in SAYINGS]


@pytest.mark.parametrize("place", [None, *PLACES])
def test_a_private_word_is_told_to_its_own_readers_only(guild, place):
    heard = {source for source, word in CANARIES.items() if word in told(guild, place)}
    assert heard == {source for source, readers in READERS.items() if place in readers}


def test_the_papers_of_the_guild_hold_no_private_word(guild):
    text = read(answers.papers_of(guild, now=NOW))
    assert "harbour" in text
    assert not [word for word in CANARIES.values() if word in text]


@pytest.mark.parametrize("channel", ["", "c-general", "c-elsewhere"])
def test_a_search_through_the_api_finds_no_private_word(guild, channel):
    bot = answers.api_for(guild, "read")
    asked = {"channel": channel} if channel else {}
    for word in CANARIES.values():
        found = bot.get(f"{guild.key}/search", q=f"Does Alice live in {word}?", limit=24, **asked)
        assert found.status_code == 200
        assert found.json()["items"]
        assert word not in found.content.decode().casefold()


def test_a_profile_shows_no_private_word_to_the_whole_guild(guild):
    bot = answers.api_for(guild, "read")
    text = bot.get(f"{guild.key}/members/u-alice/profile").content.decode().casefold()
    assert "harbour" in text
    assert not [word for word in CANARIES.values() if word in text]


@pytest.mark.parametrize("channel", ["", "c-elsewhere"])
def test_no_route_that_answers_for_readers_tells_a_private_word(guild, channel):
    asked = {"channel": channel} if channel else {}
    text = read(answers.told_by_key(guild, list(CANARIES.values()), **asked))
    assert "harbour" in text
    assert not [word for word in CANARIES.values() if word in text]


def test_lists_of_every_audience_say_of_each_private_word_whose_it_is(guild):
    bot = answers.api_for(guild, "read")
    for path in ("facts?limit=100", "notes?limit=100", "facts?limit=100&status=all"):
        rows = bot.get(f"{guild.key}/{path}").json()["items"]
        found = [row for row in rows if any(word in str(row).casefold() for word in CANARIES.values())]
        assert found
        assert all(row["audience"] for row in found)


def stranger(guild: Guild, place: str) -> Caller:
    """Return somebody who asks in a place and can read nothing but what everybody reads."""
    return Caller(
        guild=GuildRef(key=guild.key, name=guild.name), person=Person(id="u-mallory", display_name="Mallory"),
        channel=IncomingChannel(id=PLACES[place]["id"]), readable=frozenset({PLACES["general"]["id"]}),
    )  # fmt: skip


def test_the_bot_tells_a_stranger_no_private_word(guild):
    marks = [*(f"#{pk}" for pk in Fact.objects.of(guild).values_list("pk", flat=True))]
    marks += [f"p{pk}" for pk in ProfileEntry.objects.values_list("pk", flat=True)]
    marks += [f"n{pk}" for pk in InteractionNote.objects.of(guild).values_list("pk", flat=True)]
    said = []
    for asker in (stranger(guild, "general"), replace(stranger(guild, "general"), person=Person(id="u-alice"))):
        for page in range(1, 9):
            said += [str(show.list_memories(asker, of=of, page=page)) for of in ("", "u-alice", "u-bob")]
        said += [str(show.explain(asker, memory=mark)) for mark in marks]
        said += [str(show.suggest(asker, typed=word, kinds=("fact", "entry", "note"))) for word in CANARIES.values()]
        questions = [f"Does Alice live in {word}?" for word in CANARIES.values()]
        said += [str(show.search(asker, question=question, now=NOW)) for question in questions]
        said.append(show.summarize_channel(asker, now=NOW))
    text = " ".join(said).casefold()
    assert "harbour" in text
    assert not [word for word in CANARIES.values() if word in text]


def test_the_studio_shows_what_is_told_there_and_no_private_word(guild, client):
    client.force_login(User.objects.create_superuser("root"))
    asked = {"guild": guild.key, "channel": "c-general", "author": "u-alice", "others": "u-bob"}
    page = client.get("/studio/", {**asked, "text": "Where do we live, and what do we love to do on Fridays?"})
    handed = page.content.decode().split("handed over")[1].split("</pre>")[0].casefold()
    assert "harbour" in handed
    assert not [word for word in CANARIES.values() if word in handed]


def test_topics_of_the_day_do_not_mix_audiences(guild):
    for topic in InteractionNote.objects.of(guild).filter(kind=InteractionNote.Kind.TOPIC_CLUSTER):
        assert {note.audience_id for note in topic.notes.all()} == {topic.audience_id}
