"""Counts who answered, named, met or spoke with whom; a channel's day is counted anew, never added to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from itertools import permutations

from memoryhub.community.days import day_of, span
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
    buffer.channel.guild = guild = Guild.objects.get(pk=buffer.guild_id)  # it may have switched its graph meanwhile
    if not guild.relationships_on:
        return 0
    first, last = day_of(guild, buffer.opened_at), day_of(guild, buffer.last_message_at)
    days = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return sum(count_day(buffer.channel, day=day) for day in days)


def count_day(channel: Channel, *, day: date) -> int:
    """Write the counts of the channel's day anew from its messages and notes; none while the guild's graph is off."""
    guild, counts = channel.guild, defaultdict[tuple[int, int], Counts](Counts)
    if guild.relationships_on:
        begin, end = span(guild, day)
        rows = Message.objects.posted().filter(remembered(guild, "author__"), channel=channel)
        rows = rows.filter(sent_at__gte=begin, sent_at__lt=end).order_by("sent_at", "pk")
        messages = list(rows.only("author_id", "reply_to", "mentions", "source", "sent_at"))
        _count_replies_and_mentions(guild, messages, counts)
        _count_voice(messages, counts)
        notes = InteractionNote.objects.filter(channel=channel, note_date=day, kind=InteractionNote.Kind.CONVERSATION)
        people = Member.objects.of(guild).filter(remembered(guild), is_bot=False, notes__in=notes)
        present: dict[int, list[int]] = defaultdict(list)
        for note, member in people.order_by("notes", "pk").values_list("notes", "pk"):
            present[note].append(member)
        for there in present.values():
            for pair in permutations(there, 2) if len(there) <= MOST_TOGETHER else ():
                counts[pair].together += 1
    set_day(channel, day=day, counts=counts)
    return len(counts)


def recount(messages: Iterable[Message]) -> None:
    """Count the days of these messages anew, because their words went or changed."""
    times: dict[int, set[datetime]] = defaultdict(set)
    for message in messages:
        times[message.channel_id].add(message.sent_at)
    for channel in Channel.objects.select_related("guild").filter(pk__in=times):
        for day in {day_of(channel.guild, moment) for moment in times[channel.pk]}:
            count_day(channel, day=day)


def recount_notes(notes: Iterable[InteractionNote]) -> None:
    """Count the days of these notes anew, because they went; a topic was never counted."""
    for channel, day in {(note.channel, note.note_date) for note in notes}:
        if channel is not None:
            count_day(channel, day=day)


def answered_authors(guild: Guild, messages: Iterable[Message]) -> dict[str, int]:
    """Return who wrote the messages that these answer: platform id of the message to row id of the member."""
    answered = {message.reply_to for message in messages if message.reply_to}
    if not answered:
        return {}
    rows = Message.objects.of(guild).filter(remembered(guild, "author__"), author__is_bot=False)
    return dict(rows.filter(platform_id__in=answered).values_list("platform_id", "author"))


def rounds(messages: Iterable[Message]) -> list[list[Message]]:
    """Return what was spoken in a voice channel, in order, cut where it was silent."""
    found: list[list[Message]] = []
    for message in messages:
        if message.source != Message.Source.VOICE:
            continue
        if not found or message.sent_at - found[-1][-1].sent_at > SILENCE:
            found.append([])
        found[-1].append(message)
    return found


def _count_replies_and_mentions(guild: Guild, messages: Sequence[Message], counts: Pairs) -> None:
    authors = answered_authors(guild, messages)
    people = Member.objects.of(guild).filter(remembered(guild), is_bot=False)
    named = people.filter(platform_id__in={name for message in messages for name in message.mentions})
    members = dict(named.values_list("platform_id", "pk"))
    for message in messages:
        target = authors.get(message.reply_to)
        if target and target != message.author_id:
            counts[message.author_id, target].replies += 1
        for member in {members[name] for name in message.mentions if name in members} - {message.author_id}:
            counts[message.author_id, member].mentions += 1


def _count_voice(messages: Sequence[Message], counts: Pairs) -> None:
    """Count the minutes of a round that two shared: from when both had spoken until one fell silent, at least one."""
    for spoken in rounds(messages):
        first = {message.author_id: message.sent_at for message in reversed(spoken)}
        last = {message.author_id: message.sent_at for message in spoken}
        if len(first) > MOST_TOGETHER:
            continue
        for one, other in permutations(first, 2):
            shared = min(last[one], last[other]) - max(first[one], first[other])
            counts[one, other].voice_minutes += max(1, round(shared.total_seconds() / 60))
