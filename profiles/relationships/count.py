"""Counts who answered, named, met or spoke with whom (seed 003); a channel's day is counted anew, never added to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from itertools import permutations
from zoneinfo import ZoneInfo

from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import remembered
from notes.models import ChannelBuffer, InteractionNote, Message
from profiles.relationships.relationship_store import set_day
from profiles.relationships.strength import Counts

MOST_TOGETHER = 12  # in a crowd, being there says nothing about two of them
SILENCE = timedelta(minutes=5)  # after which those who speak in a voice channel are another round
Pairs = dict[tuple[int, int], Counts]


def count_buffer(buffer: ChannelBuffer) -> int:
    """Count the days that the conversation touches; return the number of directed pairs."""
    days = days_between(buffer.guild, buffer.opened_at, buffer.last_message_at)
    return sum(count_day(buffer.channel, day=day) for day in days)


def count_day(channel: Channel, *, day: date) -> int:
    """Write the counts of the channel's day anew from its messages and notes; none while the guild's graph is off."""
    guild, counts = channel.guild, defaultdict[tuple[int, int], Counts](Counts)
    if guild.relationships_on:
        said = list(said_on(channel, day))
        _count_replies_and_mentions(guild, said, counts)
        _count_voice(said, counts)
        _count_notes(channel, day, counts)
    set_day(channel, day=day, counts=counts)
    return len(counts)


def recount(messages: Iterable[Message]) -> None:
    """Count the days of these messages anew, because their words went or changed (promise 5)."""
    times: dict[int, set[datetime]] = defaultdict(set)
    for message in messages:
        times[message.channel_id].add(message.sent_at)
    for channel in Channel.objects.select_related("guild").filter(pk__in=times):
        zone = ZoneInfo(channel.guild.time_zone)
        for day in {moment.astimezone(zone).date() for moment in times[channel.pk]}:
            count_day(channel, day=day)


def recount_notes(notes: Iterable[InteractionNote]) -> None:
    """Count the days of these notes anew, because they went; a topic was never counted."""
    for channel, day in {(note.channel, note.note_date) for note in notes}:
        if channel is not None:
            count_day(channel, day=day)


def days_between(guild: Guild, first: datetime, last: datetime) -> list[date]:
    """Return the days, in the guild's time zone, from one moment to another."""
    zone = ZoneInfo(guild.time_zone)
    begin, end = (moment.astimezone(zone).date() for moment in (first, last))
    return [begin + timedelta(days=n) for n in range((end - begin).days + 1)]


def span(guild: Guild, day: date) -> tuple[datetime, datetime]:
    """Return the moments at which the guild's day begins and ends."""
    begin = datetime.combine(day, time(), ZoneInfo(guild.time_zone))
    return begin, begin + timedelta(days=1)


def said_on(channel: Channel, day: date) -> Iterable[Message]:
    """Return what those who may be remembered said in the channel that day, oldest first."""
    begin, end = span(channel.guild, day)
    rows = Message.objects.posted().filter(remembered(channel.guild, "author__"), channel=channel)
    rows = rows.filter(sent_at__gte=begin, sent_at__lt=end).order_by("sent_at", "pk")
    return rows.only("author_id", "reply_to", "mentions", "source", "sent_at")


def answered(guild: Guild, said: Iterable[Message]) -> dict[str, int]:
    """Return who wrote the messages that these answer: platform id of the message to row id of the member."""
    people = remembered(guild, "author__")
    rows = Message.objects.of(guild).filter(people, author__is_bot=False)
    return dict(
        rows.filter(platform_id__in={m.reply_to for m in said if m.reply_to}).values_list("platform_id", "author")
    )


def rounds(said: Iterable[Message]) -> list[list[Message]]:
    """Return what was spoken in a voice channel, in order, cut where it was silent."""
    found: list[list[Message]] = []
    for message in said:
        if message.source != Message.Source.VOICE:
            continue
        if not found or message.sent_at - found[-1][-1].sent_at > SILENCE:
            found.append([])
        found[-1].append(message)
    return found


def _count_replies_and_mentions(guild: Guild, said: Sequence[Message], counts: Pairs) -> None:
    authors = answered(guild, said)
    people = Member.objects.of(guild).filter(remembered(guild), is_bot=False)
    named = people.filter(platform_id__in={name for m in said for name in m.mentions})
    members = dict(named.values_list("platform_id", "pk"))
    for message in said:
        target = authors.get(message.reply_to)
        if target and target != message.author_id:
            counts[message.author_id, target].replies += 1
        for member in {members[name] for name in message.mentions if name in members} - {message.author_id}:
            counts[message.author_id, member].mentions += 1


def _count_voice(said: Sequence[Message], counts: Pairs) -> None:
    for spoken in rounds(said):
        for pair, minutes in _minutes(spoken).items():
            counts[pair].voice_minutes += minutes


def _minutes(spoken: Sequence[Message]) -> Mapping[tuple[int, int], int]:
    """Return the minutes of a round that two shared: from when both had spoken until one fell silent, at least one."""
    first = {m.author_id: m.sent_at for m in reversed(spoken)}
    last = {m.author_id: m.sent_at for m in spoken}
    if len(first) > MOST_TOGETHER:
        return {}
    shared = {
        (one, other): min(last[one], last[other]) - max(first[one], first[other])
        for one, other in permutations(first, 2)
    }
    return {pair: max(1, round(time_shared.total_seconds() / 60)) for pair, time_shared in shared.items()}


def _count_notes(channel: Channel, day: date, counts: Pairs) -> None:
    notes = InteractionNote.objects.filter(channel=channel, note_date=day, kind=InteractionNote.Kind.CONVERSATION)
    for note in notes:
        people = note.participants.filter(remembered(channel.guild), is_bot=False)
        present = list(people.values_list("pk", flat=True)[: MOST_TOGETHER + 1])
        for pair in permutations(present, 2) if len(present) <= MOST_TOGETHER else ():
            counts[pair].together += 1
