"""Stores which channels' histories managers asked for, and how far each has been read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q

from botrunner.models import Backfill
from memory.records.action_log import log
from memoryhub.community.identity import ensure_guild
from memoryhub.community.models import Channel
from notes.messages.schemas import GuildRef

Status = Backfill.Status
MOST_SHOWN = 12  # channels; with their names they stay below Discord's 2,000 characters


@transaction.atomic
def begin(guild: GuildRef, channel_id: str, *, until: int, expected: int, actor: str, now: datetime) -> str:
    """Have a channel read with its threads: anew, or on from where it was cancelled; return the answer."""
    place = ensure_guild(key=guild.key, name=guild.name)
    channel = Channel.objects.of(place).filter(platform_id=channel_id).first()
    if not place.memory_on or (channel and not channel.listens):
        return "Memory is off here, so there is nothing to read for. Switch it on first."
    fields = {"status": Status.READING, "until": until, "expected": expected, "failed": 0, "asked_at": now}
    row, new = Backfill.objects.get_or_create(guild=place, channel_id=channel_id, defaults=fields)
    if not new:
        if row.status == Status.READING:
            return f"It is being read already: {row.read:,} messages so far."
        anew = row.status == Status.DONE
        restart = {"after": 0, "read": 0} if anew else {}
        Backfill.objects.filter(pk=row.pk).update(**fields, **restart, ended_at=None)
        threads = Backfill.objects.filter(guild=place, under=channel_id)
        again = threads if anew else threads.exclude(status=Status.DONE)
        again.update(status=Status.READING, until=until, failed=0, asked_at=now, ended_at=None, **restart)
    log("backfill", guild=place, actor=actor, now=now, channel=channel_id, expected=expected)
    return "Reading has begun, a hundred messages a second at most. It goes on after a restart."


def add_threads(of: Backfill, lengths: Mapping[int, int], *, now: datetime) -> None:
    """Have the threads of a channel, by their ids and lengths, read after it; known ones stay as they are."""
    rows = [
        Backfill(
            guild_id=of.guild_id, channel_id=str(thread), under=of.channel_id, until=of.until, expected=length,
            asked_at=now,
        )
        for thread, length in lengths.items()
    ]  # fmt: skip
    Backfill.objects.bulk_create(rows, ignore_conflicts=True)


def next_backfill(is_here: Callable[[int], bool], failed: Collection[int]) -> Backfill | None:
    """Return what is to be read next in the guilds that are here; None when there is nothing left."""
    for row in Backfill.objects.filter(status=Status.READING).exclude(pk__in=failed).select_related("guild"):
        number = row.guild.key.partition(":")[2]
        if number.isdigit() and is_here(int(number)):
            return row
    return None


def advance(backfill: Backfill, *, after: int, read: int) -> bool:
    """Note how far it was read; False if it was cancelled meanwhile."""
    rows = Backfill.objects.filter(pk=backfill.pk, status=Status.READING)
    return bool(rows.update(after=after, read=F("read") + read, failed=0))


def fail(backfill: Backfill) -> int:
    """Note that it failed; return how often it did since it came on last."""
    Backfill.objects.filter(pk=backfill.pk).update(failed=F("failed") + 1)
    return Backfill.objects.filter(pk=backfill.pk).values_list("failed", flat=True).first() or 1


def failing(least: int) -> int:
    """Return of how many channels and threads the history failed so often, one time after the other."""
    return Backfill.objects.filter(status=Status.READING, failed__gte=least).count()


def finish(backfill: Backfill, *, status: Backfill.Status, now: datetime) -> None:
    """Note that there is no more to read."""
    Backfill.objects.filter(pk=backfill.pk, status=Status.READING).update(status=status, ended_at=now)


@transaction.atomic
def cancel(guild: GuildRef, channel_id: str, *, actor: str, now: datetime) -> str:
    """Stop reading a channel and its threads; return the answer."""
    place = ensure_guild(key=guild.key, name=guild.name)
    rows = Backfill.objects.filter(Q(channel_id=channel_id) | Q(under=channel_id), guild=place, status=Status.READING)
    if not rows.update(status=Status.CANCELLED, ended_at=now):
        return "Nothing of this channel is being read."
    log("backfill_cancelled", guild=place, actor=actor, now=now, channel=channel_id)
    return "Cancelled. What was read so far stays; beginning again goes on from there."


def progress(guild: GuildRef, *, readable: Collection[str]) -> list[tuple[str, str]]:
    """Return each of these channels that was asked for, and how far it came with its threads; the newest first.

    As long as one of them is read, the channel is being read.
    """
    channels = Backfill.objects.filter(guild__key=guild.key, channel_id__in=readable, under="")
    lines = []
    for channel in channels.order_by("-asked_at", "-pk")[:MOST_SHOWN]:
        rows = [channel, *Backfill.objects.filter(guild=channel.guild_id, under=channel.channel_id)]
        read, expected = sum(row.read for row in rows), sum(max(row.expected, row.read) for row in rows)
        now = next((row for row in rows if row.status == Status.READING), channel)
        of = f" of about {expected:,}" if now.status == Status.READING and expected > read else ""
        threads = f" (threads: {len(rows) - 1})" if len(rows) > 1 else ""
        failed = max((row.failed for row in rows if row.status == Status.READING), default=0)
        trouble = f" (failures in a row: {failed}; tried again within the hour)" if failed else ""
        state = f"{now.get_status_display().lower()}{trouble}"
        lines.append((channel.channel_id, f"{read:,}{of} messages{threads}, {state}"))
    return lines
