"""Walks from a relationship's counts back to the messages and notes that they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import reduce
from operator import or_

from django.db.models import Q

from memoryhub.community.days import day_of, span
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import remembered
from notes.models import InteractionNote, Message
from profiles.models import RelationshipDay, RelationshipDayQuerySet
from profiles.relationships.count import MOST_TOGETHER, answered_authors, rounds

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
    wanted = {place for of_pair in places.values() for place in of_pair}
    channels = Channel.objects.of(guild).in_bulk({channel for channel, _ in wanted})
    messages = _messages(guild, list(wanted), {member.pk for pair in places for member in pair})
    authors = answered_authors(guild, [message for rows in messages.values() for message in rows])
    notes: dict[Place, list[InteractionNote]] = {place: [] for place in wanted}
    there = reduce(or_, (Q(channel=channel, note_date=day) for channel, day in wanted), Q(pk=None))
    rows = InteractionNote.objects.told(guild).filter(there, kind=InteractionNote.Kind.CONVERSATION)
    for note in rows.prefetch_related("participants").order_by("started_at", "pk"):
        if note.channel_id is not None:
            notes[note.channel_id, note.note_date].append(note)
    return {
        pair: [
            Encounter(
                channel=channels[channel],
                day=day,
                messages=_between(messages[channel, day], pair, authors),
                notes=[note for note in notes[channel, day] if set(pair) <= set(note.participants.all())],
            )
            for channel, day in of_pair
        ]
        for pair, of_pair in places.items()
    }


def _messages(guild: Guild, places: Sequence[Place], members: Iterable[int]) -> dict[Place, list[Message]]:
    """Return what these members wrote, and all that was spoken, in each place, in order."""
    found: dict[Place, list[Message]] = {place: [] for place in places}
    for start in range(0, len(places), PLACES_AT_ONCE):
        there = Q()
        for channel, day in places[start : start + PLACES_AT_ONCE]:
            begin, end = span(guild, day)
            there |= Q(channel=channel, sent_at__gte=begin, sent_at__lt=end)
        written_or_spoken = Q(author__in=members) | Q(source=Message.Source.VOICE)
        rows = Message.objects.posted().filter(there, written_or_spoken, remembered(guild, "author__"))
        for message in rows.select_related("author", "guild").order_by("sent_at", "pk"):
            found[message.channel_id, day_of(guild, message.sent_at)].append(message)
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
