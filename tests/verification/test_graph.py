"""Audience of the graph: in no place more is told than its readers could count, nor after a deletion."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from memory import pipeline
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.search import keywords
from profiles.models import RelationshipDay
from profiles.relationships import count, hints
from profiles.relationships.evidence import encounters_of_pair
from profiles.relationships.graph import edges
from profiles.relationships.strength import confidence, strength
from tests.factories import NOON, make_channel, make_guild, make_member, make_message, minutes

PLACES = ("general", "staff", "plans", "crew")
READ_BY = {"general": set(PLACES), "staff": {"staff", "plans"}, "plans": {"plans"}, "crew": {"crew"}}
"""By place, where what was said there may be told: plans is a private thread of staff."""
PEOPLE = ("Alice", "Bob", "Mallory")


@dataclass(frozen=True)
class Named:
    """Somebody names somebody in a place; perhaps the message is deleted later."""

    place: str
    by: str
    whom: str
    deleted: bool


TALK = st.lists(
    st.builds(Named, st.sampled_from(PLACES), st.sampled_from(PEOPLE), st.sampled_from(PEOPLE), st.booleans()),
    max_size=12,
)


def world(talk: list[Named]) -> tuple[Guild, dict[str, Channel]]:
    """Let all of it be said, counted, and partly deleted."""
    guild = make_guild(relationships_on=True)
    channels = {name: make_channel(name=name, private=name != "general") for name in PLACES}
    Channel.objects.filter(pk=channels["plans"].pk).update(parent=channels["staff"], kind="thread")
    rows = [
        make_message(
            f"Hello number {number}.", author=make_member(name=each.by), channel=channels[each.place],
            mentions=[make_member(name=each.whom).platform_id], sent_at=NOON + minutes(number),
        )
        for number, each in enumerate(talk)
    ]  # fmt: skip
    for channel in channels.values():
        count.count_day(channel, day=NOON.date())
    gone = [row.platform_id for row, each in zip(rows, talk, strict=True) if each.deleted]
    pipeline.delete(guild, message_ids=gone, now=NOON + minutes(60))
    return guild, {name: Channel.objects.get(name=name) for name in PLACES}


def expected(talk: list[Named], place: str | None) -> dict[frozenset[str], int]:
    """Count by hand what those who read in the place could count."""
    readable = {name for name, readers in READ_BY.items() if (place or "general") in readers or name == "general"}
    if place is None:
        readable = {"general"}
    return Counter(
        frozenset((each.by, each.whom))
        for each in talk
        if each.place in readable and not each.deleted and each.by != each.whom
    )


class Graph(TestCase):
    """Random talks; hypothesis rolls each one back."""

    @classmethod
    def setUpTestData(cls) -> None:
        """Make the word index first: once one is made and rolled back, FTS5 refuses savepoints."""
        keywords.put(kind="message", rows=[keywords.TextRow(id=0, guild=0, audience=0, subject=0, text="Hello.")])
        keywords.delete(kind="message", ids=[0], guild=0)

    @settings(max_examples=40)
    @given(TALK)
    def test_every_place_is_told_what_its_readers_could_count(self, talk: list[Named]) -> None:
        guild, channels = world(talk)
        for place in (None, *PLACES):
            channel = channels[place] if place else None
            rows = RelationshipDay.objects.told_in(guild, channel)
            found = edges(rows, guild=guild, now=NOON)
            told = {frozenset((str(edge.first), str(edge.second))): edge for edge in found}
            counted = expected(talk, place)
            assert {pair: edge.forth.acts + edge.back.acts for pair, edge in told.items()} == counted
            for pair, edge in told.items():
                assert edge.strength == pytest.approx(strength([(0, counted[pair], 0.0)]))
                assert edge.confidence == pytest.approx(confidence(counted[pair], 0.0))
                messages = [m for each in encounters_of_pair(edge.first, edge.second, rows=rows) for m in each.messages]
                assert len(messages) == counted[pair]
            self._hints_rest_on_readable_messages(guild, channel, place)

    def _hints_rest_on_readable_messages(self, guild: Guild, channel: Channel | None, place: str | None) -> None:
        for hint in hints.hints(guild, members=Member.objects.of(guild), channel=channel, now=NOON):
            ids = [source.message_id for source in hint.sources]
            said_in = set(guild.messages.filter(platform_id__in=ids).values_list("channel__name", flat=True))
            assert ids
            assert all((place or "") in READ_BY[name] or name == "general" for name in said_in)
