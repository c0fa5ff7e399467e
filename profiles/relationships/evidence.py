"""Walks from a relationship's counts back to the messages and notes that they rest on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import chain
from typing import Any, NamedTuple

from memoryhub import db
from memoryhub.community.consent import remembers
from memoryhub.community.days import day_of, span
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import remembered_in_sql
from notes.models import Message
from profiles.models import RelationshipDay, RelationshipDayQuerySet
from profiles.relationships.count import MOST_TOGETHER, answered_authors, rounds

MOST_DAYS = 100
PLACES_AT_ONCE = 50
Place = tuple[int, date]
"""A channel's row id and a day: where counts stand together."""

# Written out, since every context asks them.
WRITTEN_OR_SPOKEN = f"""WHERE ({{there}}) AND {db.unindexed("notes_message.guild_id")} = %s
    AND deleted_at IS NULL AND NOT community_member.is_bot
    AND ({db.among("author_id")} OR source = '{Message.Source.VOICE}') ORDER BY sent_at, notes_message.id"""
OF_TALKS = f"""SELECT note.channel_id, note.note_date, note.id, note.title, note.ended_at, who.id, {{remembered}}
    FROM notes_interactionnote AS note
    {db.in_order()} notes_interactionnote_participants AS part
        ON part.interactionnote_id = note.id AND part.guild_id = note.guild_id
    {db.in_order()} community_member AS who ON who.id = part.member_id AND who.guild_id = part.guild_id
    WHERE ({{there}}) AND {db.unindexed("note.guild_id")} = %(guild)s AND note.kind = 'conversation'
    ORDER BY note.started_at, note.id"""  # noqa: S608  every value is a parameter


class TalkNote(NamedTuple):
    """What is named of a note."""

    pk: int
    title: str
    ended_at: datetime


Met = tuple[list[Message], list[TalkNote]]
"""By which messages two had to do with each other in one place, and the notes that tell of both there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encounter:
    """A channel's day on which two members had to do with each other: by which messages, told of by which notes."""

    channel: Channel
    day: date
    messages: list[Message] = field(default_factory=list)
    notes: list[TalkNote] = field(default_factory=list)


def encounters_of_pair(
    one: Member, other: Member, *, rows: RelationshipDayQuerySet | None = None, limit: int = MOST_DAYS
) -> list[Encounter]:
    """Return what the counts of two members rest on, the newest day first; `rows` narrow to an audience."""
    days = RelationshipDay.objects.of(one.guild) if rows is None else rows
    counted = days.filter(source__in=[one, other], target__in=[one, other])
    places = list(counted.order_by("-day", "channel").values_list("channel", "day").distinct()[:limit])
    return encounters(one.guild, {(one, other): places})[one, other]


def encounters(
    guild: Guild, places: Mapping[tuple[Member, Member], Sequence[Place]]
) -> dict[tuple[Member, Member], list[Encounter]]:
    """Return, for each pair, what happened between them in these places: a few queries, however many pairs."""
    channels = Channel.objects.of(guild).in_bulk({channel for of_pair in places.values() for channel, _ in of_pair})
    found = met(guild, places)
    return {
        pair: [
            Encounter(channel=channels[channel], day=day, messages=messages, notes=notes)
            for (channel, day), (messages, notes) in zip(of_pair, found[pair], strict=True)
        ]
        for pair, of_pair in places.items()
    }


def met(
    guild: Guild, places: Mapping[tuple[Member, Member], Sequence[Place]]
) -> dict[tuple[Member, Member], list[Met]]:
    """Return, for each pair, by what messages they had to do with each other in each place, and the notes of it."""
    wanted = list(dict.fromkeys(place for of_pair in places.values() for place in of_pair))
    messages = _messages(guild, wanted, {member.pk for pair in places for member in pair})
    authors = answered_authors(guild, [message for rows in messages.values() for message in rows])
    notes = _notes(guild, wanted)
    return {
        pair: [
            (
                _between(messages[place], pair, authors),
                [note for note, present in notes[place].items() if present.issuperset(member.pk for member in pair)],
            )
            for place in of_pair
        ]
        for pair, of_pair in places.items()
    }


def _messages(guild: Guild, places: Sequence[Place], members: Collection[int]) -> dict[Place, list[Message]]:
    """Return what these members wrote, and all that was spoken, in each place, in order."""
    found: dict[Place, list[Message]] = {place: [] for place in places}
    for start in range(0, len(places), PLACES_AT_ONCE):
        some = [
            (channel, *map(db.to_column, span(guild, day))) for channel, day in places[start : start + PLACES_AT_ONCE]
        ]
        there = " OR ".join(["(channel_id = %s AND sent_at >= %s AND sent_at < %s)"] * len(some))
        values: list[Any] = [*chain.from_iterable(some), guild.pk, db.id_list(members)]
        for message in db.read(Message, WRITTEN_OR_SPOKEN.format(there=there), values, joined=("author",)):
            if remembers(guild, message.author):
                message.guild = guild
                found[message.channel_id, day_of(guild, message.sent_at)].append(message)
    return found


def _notes(guild: Guild, places: Sequence[Place]) -> dict[Place, dict[TalkNote, set[int]]]:
    """Return the notes of the talks in each place, in order, each with the row ids of who took part."""
    found: dict[Place, dict[TalkNote, set[int]]] = {place: {} for place in places}
    for start in range(0, len(places), PLACES_AT_ONCE):
        values: dict[str, Any] = {"guild": guild.pk}
        there = []
        for number, (channel, day) in enumerate(places[start : start + PLACES_AT_ONCE]):
            values |= {f"channel{number}": channel, f"day{number}": day}
            there.append(f"(note.channel_id = %(channel{number})s AND note.note_date = %(day{number})s)")
        sql = OF_TALKS.format(there=" OR ".join(there), remembered=remembered_in_sql(guild, values))
        untold = set[int]()
        for channel, day, pk, title, ended_at, member, may_be_told in db.select(sql, values):
            note = TalkNote(pk, title, ended_at)
            found[channel, day].setdefault(note, set()).add(member)
            untold |= set() if may_be_told else {pk}
        for place in places[start : start + PLACES_AT_ONCE]:
            found[place] = {note: present for note, present in found[place].items() if note.pk not in untold}
    return found


def _between(messages: Sequence[Message], pair: tuple[Member, Member], authors: Mapping[str, int]) -> list[Message]:
    """Return the messages by which one answered, named or spoke with the other."""
    others = {pair[0].pk: pair[1], pair[1].pk: pair[0]}
    spoken = {
        message.pk
        for part in rounds(messages)
        if set(others) <= (speakers := {message.author_id for message in part}) and len(speakers) <= MOST_TOGETHER
        for message in part
    }
    return [
        message
        for message in messages
        if (other := others.get(message.author_id))
        and (authors.get(message.reply_to) == other.pk or other.platform_id in message.mentions or message.pk in spoken)
    ]
