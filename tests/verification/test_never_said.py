"""After messages were deleted, memory equals that of a hub which never saw them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import pytest
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from memory import pipeline
from memory.index import embeddings
from memoryhub.community.models import Guild
from notes.messages.schemas import GuildRef, IncomingMessage
from tests import toy_embedder
from tests.factories import NOON, days, make_guild, minutes
from tests.incoming import incoming
from tests.verification import dump

pytestmark = pytest.mark.django_db
EXAMPLES = int(os.environ.get("MEMORYHUB_TEST_EXAMPLES", "4"))
READINGS = 4  # what was edited has what was said after it read again
SEED = os.environ.get("MEMORYHUB_TEST_SEED")
CITIES, THINGS = ("Toronto", "Rome", "Lima"), ("green tea", "jazz", "chess")
SAYINGS = (
    "I live in {city} and it is a lovely place all year round.",
    "I moved to {city} last spring.",
    "I don't live in {city} any more.",
    "I love {thing} more than anything else in the world.",
    "My favourite hobby is {thing}, I do it each evening after work.",
    "I work at the museum in {city} as a guide for school classes.",
    "We always meet in {city} on Fridays, it's our tradition.",
    "Does anybody know a good place for {thing} in {city}?",
    "We decided to hold the next meeting in {city} in June.",
    "Yes, that is what I thought as well, let us talk about {thing} tomorrow.",
)


@dataclass(frozen=True)
class Line:
    """Something said, and what stands in its place in the end: itself, other words, or, deleted, nothing."""

    author: str
    channel: str
    text: str
    pause: int
    later: str | None

    @property
    def last(self) -> str:
        """Return what stands in the end."""
        return self.text if self.later is None else self.later


WORDS = st.builds(str.format, st.sampled_from(SAYINGS), city=st.sampled_from(CITIES), thing=st.sampled_from(THINGS))


def talk(later: st.SearchStrategy[str | None]) -> st.SearchStrategy[list[Line]]:
    """Return talks of which about a third is changed later."""
    line = st.builds(
        Line, author=st.sampled_from(("Alice", "Bob")), channel=st.sampled_from(("hall", "crew")), text=WORDS,
        pause=st.sampled_from((1, 2, 4, 14, 40)), later=st.one_of(st.none(), st.none(), later),
    )  # fmt: skip
    return st.lists(line, min_size=4, max_size=14)


@dataclass
class Hub:
    """A guild in which the talk happens, in one of two ways."""

    key: str
    lines: list[Line]
    knew: bool

    def run(self, *, digest_at: int, night: bool) -> Guild:
        """Let the talk happen with a digest in its middle; who knew better hears only what stands in the end."""
        ref, now = GuildRef(key=self.key, name="Same"), NOON
        make_guild(self.key, name="Same", review_above=100, relationships_on=True)
        for number, line in enumerate(self.lines):
            now += minutes(line.pause)
            if text := line.last if self.knew else line.text:
                pipeline.receive(self._said(number, line, text, now), guild=ref, now=now)
            if number == digest_at:
                self._digest(ref, now + minutes(30))
                now += minutes(30)
        self._digest(ref, now + minutes(200))
        guild = Guild.objects.get(key=self.key)
        if night:
            pipeline.consolidate(guild, day=NOON.date(), now=now + days(1))
        if not self.knew:
            self._change(guild, now + days(1))
        later = now + days(2)
        self._digest(ref, later)
        pipeline.consolidate(guild, day=NOON.date(), now=later, force=True)
        pipeline.tick(now=later + minutes(1))
        pipeline.tick(now=later + days(1))  # what a channel is about over time is written anew after some hours
        embeddings.embed_missing(500)
        return Guild.objects.get(key=self.key)

    def _said(self, number: int, line: Line, text: str, at: datetime) -> IncomingMessage:
        channel = {"id": f"c-{line.channel}", "audience": "guild" if line.channel == "hall" else "channel"}
        return incoming(text, line.author, id=f"m-{number}", channel=channel, at=at)

    def _digest(self, ref: GuildRef, now: datetime) -> None:
        if guild := Guild.objects.filter(key=ref.key).first():
            pipeline.digest(guild, now=now)
            for _ in range(READINGS):
                pipeline.learn_waiting(Guild.ExtractionMode.BATCH, now=now)
            pipeline.tick(now=now)

    def _change(self, guild: Guild, now: datetime) -> None:
        changed = {f"m-{number}": line.later for number, line in enumerate(self.lines) if line.later is not None}
        for message, text in changed.items():
            if text:
                pipeline.edit(guild, message_id=message, text=text, now=now)
        pipeline.delete(guild, message_ids=[each for each, text in changed.items() if not text], now=now)


def few(test: Callable[..., None]) -> Callable[..., None]:
    """Have few examples tried, the same each time; with a seed from outside others, and as many as one likes."""
    chosen = settings(
        max_examples=EXAMPLES, derandomize=SEED is None, phases=[Phase.generate], database=None,
    )  # fmt: skip
    return chosen(test if SEED is None else seed(int(SEED))(test))


def compare(toy: toy_embedder.ToyEmbedder, lines: list[Line], digest_at: int, *, night: bool) -> None:
    """Hold what is known against what a hub knows that heard only the words that stand in the end."""
    Guild.objects.all().delete()
    guilds = [
        Hub(key, lines, knew=knew).run(digest_at=digest_at, night=night)
        for key, knew in (("test:after", False), ("test:never", True))
    ]
    after, never = (dump.remembered(guild, model=toy.identity) for guild in guilds)
    assert dump.differences(after, never) == []


@few
@given(lines=talk(st.just("")), digest_at=st.integers(0, 13), night=st.booleans())
def test_what_is_left_is_what_a_hub_that_never_heard_it_would_know(toy, lines, digest_at, night):
    compare(toy, lines, digest_at, night=night)


@few
@given(lines=talk(st.one_of(WORDS, st.just(""))), digest_at=st.integers(0, 13), night=st.booleans())
def test_what_is_rewritten_is_known_as_if_it_had_been_said_so_at_once(toy, lines, digest_at, night):
    compare(toy, lines, digest_at, night=night)
