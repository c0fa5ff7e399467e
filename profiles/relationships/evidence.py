"""Walks from a relationship's counts back to the messages and notes that they rest on (promise 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import reduce
from operator import or_
from zoneinfo import ZoneInfo

from django.db.models import Q

from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import remembered
from notes.models import InteractionNote, Message
from profiles.models import RelationshipDay, RelationshipDayQuerySet
from profiles.relationships.count import MOST_TOGETHER, answered, rounds, span

MOST_DAYS = 100
PLACES_AT_ONCE = 50
Place = tuple[int, date]
"""A channel's row id and a day: where counts stand together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encounter:
    """A channel's day on which two members had to do with each other: by which messages, told of by which notes."""

    channel: Channel
    day: date
    messages: list[Message] = field(default_factory=list)
    notes: list[InteractionNote] = field(default_factory=list)


def walk(
    one: Member, other: Member, *, rows: RelationshipDayQuerySet | None = None, limit: int = MOST_DAYS
) -> list[Encounter]:
    """Return what the counts of two members rest on, the newest day first; `rows` narrow to an audience."""
    days = RelationshipDay.objects.of(one.guild) if rows is None else rows
    counted = days.filter(source__in=[one, other], target__in=[one, other])
    places = list(counted.order_by("-day", "channel").values_list("channel", "day").distinct()[:limit])
    return behind(one.guild, {(one, other): places})[one, other]


def behind(
    guild: Guild, places: Mapping[tuple[Member, Member], Sequence[Place]]
) -> dict[tuple[Member, Member], list[Encounter]]:
    """Return, for each pair, what happened between them in these places: a few queries, however many pairs."""
    wanted = {place for each in places.values() for place in each}
    channels = Channel.objects.of(guild).in_bulk({channel for channel, _ in wanted})
    said = _said(guild, wanted, {member.pk for pair in places for member in pair})
    authors = answered(guild, [message for rows in said.values() for message in rows])
    told = _told(guild, wanted)
    return {
        pair: [
            Encounter(
                channel=channels[place[0]],
                day=place[1],
                messages=_between(said[place], pair, authors),
                notes=_of_both(told[place], pair),
            )
            for place in each
        ]
        for pair, each in places.items()
    }


def _said(guild: Guild, places: Iterable[Place], members: Iterable[int]) -> dict[Place, list[Message]]:
    """Return what these members wrote, and all that was spoken, in each place, in order."""
    found: dict[Place, list[Message]] = {place: [] for place in places}
    wanted, zone = list(found), ZoneInfo(guild.time_zone)
    for at in range(0, len(wanted), PLACES_AT_ONCE):
        there = reduce(or_, (_in(guild, place) for place in wanted[at : at + PLACES_AT_ONCE]))
        theirs = Q(author__in=members) | Q(source=Message.Source.VOICE)
        rows = Message.objects.posted().filter(there, theirs, remembered(guild, "author__"))
        for message in rows.select_related("author", "guild").order_by("sent_at", "pk"):
            found[message.channel_id, message.sent_at.astimezone(zone).date()].append(message)
    return found


def _in(guild: Guild, place: Place) -> Q:
    begin, end = span(guild, place[1])
    return Q(channel=place[0], sent_at__gte=begin, sent_at__lt=end)


def _between(said: Sequence[Message], pair: tuple[Member, Member], authors: Mapping[str, int]) -> list[Message]:
    """Return the messages by which one answered, named or spoke with the other."""
    others = {pair[0].pk: pair[1], pair[1].pk: pair[0]}
    spoken = {
        message.pk
        for each in rounds(said)
        if set(others) <= (speakers := {message.author_id for message in each}) and len(speakers) <= MOST_TOGETHER
        for message in each
    }
    return [
        message
        for message in said
        if (other := others.get(message.author_id))
        and (authors.get(message.reply_to) == other.pk or other.platform_id in message.mentions or message.pk in spoken)
    ]


def _told(guild: Guild, places: Iterable[Place]) -> dict[Place, list[InteractionNote]]:
    """Return the notes of the conversations in each place, with those who took part."""
    found: dict[Place, list[InteractionNote]] = {place: [] for place in places}
    same = reduce(or_, (Q(channel=channel, note_date=day) for channel, day in found), Q(pk=None))
    rows = InteractionNote.objects.told(guild).filter(same, kind=InteractionNote.Kind.CONVERSATION)
    for note in rows.prefetch_related("participants").order_by("started_at", "pk"):
        if note.channel_id is not None:
            found[note.channel_id, note.note_date].append(note)
    return found


def _of_both(notes: Sequence[InteractionNote], pair: tuple[Member, Member]) -> list[InteractionNote]:
    return [note for note in notes if {member.pk for member in pair} <= {one.pk for one in note.participants.all()}]
