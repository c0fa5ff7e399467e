"""Counts who answered, named or talked with whom on a day (seed 003); a day is counted anew, never added to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from itertools import permutations
from zoneinfo import ZoneInfo

from notes.models import ChannelBuffer, InteractionNote, Message
from profiles.models import Guild, Member
from profiles.relationships import Counts, set_day

MOST_TOGETHER = 12  # in a crowd, being there says nothing about two of them


def count_buffer(buffer: ChannelBuffer) -> int:
    """Count the days that the conversation touches; return the number of pairs."""
    zone = ZoneInfo(buffer.guild.time_zone)
    first, last = (moment.astimezone(zone).date() for moment in (buffer.opened_at, buffer.last_message_at))
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    return sum(count_day(buffer.guild, day=day) for day in days) if buffer.guild.relationships_on else 0


def count_day(guild: Guild, *, day: date) -> int:
    """Write the day's counts anew from its messages and notes; return the number of directed pairs."""
    zone = ZoneInfo(guild.time_zone)
    begin = datetime.combine(day, time(), zone)
    said = Message.objects.of(guild).said().filter(sent_at__range=(begin, begin + timedelta(days=1)))
    counts: dict[tuple[int, int], Counts] = defaultdict(Counts)
    _count_replies_and_mentions(guild, said.only("author_id", "reply_to", "mentions"), counts)
    for note in InteractionNote.objects.of(guild).filter(note_date=day, kind=InteractionNote.Kind.CONVERSATION):
        present = list(note.participants.values_list("pk", flat=True)[: MOST_TOGETHER + 1])
        for pair in permutations(present, 2) if len(present) <= MOST_TOGETHER else ():
            counts[pair].together += 1
    set_day(guild, day=day, counts=counts)
    return len(counts)


def _count_replies_and_mentions(guild: Guild, said: Iterable[Message], counts: dict[tuple[int, int], Counts]) -> None:
    rows = list(said)
    answered = Message.objects.of(guild).filter(platform_id__in=[m.reply_to for m in rows if m.reply_to])
    authors = dict(answered.values_list("platform_id", "author_id"))
    named = Member.objects.of(guild).filter(platform_id__in={name for m in rows for name in m.mentions})
    members = dict(named.values_list("platform_id", "pk"))
    for message in rows:
        target = authors.get(message.reply_to)
        if target and target != message.author_id:
            counts[message.author_id, target].replies += 1
        for member in {members[name] for name in message.mentions if name in members} - {message.author_id}:
            counts[message.author_id, member].mentions += 1
