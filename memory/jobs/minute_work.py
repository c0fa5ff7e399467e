"""Tells when a guild is to be looked at again by the minute's chores: what waits in it, and until when."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db.models import QuerySet

from memory.events import webhooks
from memory.index import embeddings
from memory.recaps import recap_periods
from memory.records import item_vectors, snapshots
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db.guild_scope import in_its_guild
from notes.models import ChannelBuffer, Message
from notes.summaries import due
from profiles.models import Profile

Status = ChannelBuffer.Status


@in_its_guild
def next_look(guild: Guild, *, now: datetime, embedded: bool = False) -> datetime | None:
    """Return when something will be due: now if anything waits already, None if nothing does and none is to come.

    `embedded`: who asks has just embedded all; to find what lacks a vector all rows are asked.
    """
    guild.refresh_from_db(fields=["rescan"])
    if (
        guild.rescan
        or any(rows.exists() for rows in _waiting(guild))
        or snapshots.is_stale(guild)
        or (not embedded and embeddings.are_missing())
        or item_vectors.lacking().exists()
    ):
        return now
    ends = ChannelBuffer.objects.of(guild).filter(status=Status.OPEN).order_by("due_at")
    times = [
        webhooks.next_try(guild),
        recap_periods.next_time(guild, now=now),
        *ends.values_list("due_at", flat=True)[:1],
        due.next_time(guild, now=now),
        *due.profile_times().values(),
    ]
    return min((at for at in times if at), default=None)


def _waiting(guild: Guild) -> Iterator[QuerySet[ChannelBuffer | Message | Channel | Profile | Member]]:
    """Yield what waits, also what failed and waits for its next try; what is parked waits for a person."""
    yield ChannelBuffer.objects.of(guild).filter(status=Status.CLOSED)
    if guild.extraction_mode == Guild.ExtractionMode.MESSAGE:
        yield Message.objects.of(guild).unread()
    yield Channel.objects.of(guild).filter(narrowing__gt="")
    if guild.memory_on:
        yield Profile.objects.filter(guild=guild, dirty=True, parked_at=None)
    yield Profile.objects.filter(guild=guild, outdated=True)
    yield Member.objects.of(guild).filter(indexed_to__isnull=False)
    yield Member.objects.of(guild).filter(unlearned_to__isnull=False)
