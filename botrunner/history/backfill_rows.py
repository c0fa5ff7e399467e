"""Stores which channels' histories managers asked for, and how far each has been read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q

from botrunner.models import Backfill
from memory.records.action_log import log
from memoryhub.community.identity import ensure_guild
from memoryhub.community.models import Channel
from notes.messages.schemas import GuildRef

Status = Backfill.Status
STATUS_TEXTS = {
    Status.READING: "being read",
    Status.DONE: "read to its end",
    Status.REFUSED: "given up: the bot may not read it",
    Status.CANCELLED: "cancelled",
}
MOST_SHOWN = 12  # channels; with their names they stay below Discord's 2,000 characters


@dataclass(frozen=True)
class Reading:
    """A channel to read: after which message, up to which; `under` is the channel whose thread it is."""

    channel_id: str
    until: int
    expected: int = 0
    under: str = ""
    after: int = 0
    read: int = 0
    pk: int = 0


@transaction.atomic
def begin(guild: GuildRef, wanted: Reading, *, actor: str, now: datetime) -> str:
    """Have a channel read: anew, or on from where it was cancelled; return the answer."""
    place = ensure_guild(key=guild.key, name=guild.name)
    channel = Channel.objects.of(place).filter(platform_id=wanted.channel_id).first()
    if not place.memory_on or (channel and not channel.listens):
        return "Memory is off here, so there is nothing to read for. Switch it on first."
    fields = {"status": Status.READING, "until": wanted.until, "expected": wanted.expected, "asked_at": now}
    row, new = Backfill.objects.get_or_create(guild=place, channel_id=wanted.channel_id, defaults=fields)
    if not new:
        if row.status == Status.READING:
            return f"It is being read already: {row.read:,} messages so far."
        restart = {"after": 0, "read": 0} if row.status == Status.DONE else {}
        Backfill.objects.filter(pk=row.pk).update(**fields, **restart, ended_at=None)
    log("backfill", guild=place, actor=actor, now=now, channel=wanted.channel_id, expected=wanted.expected)
    return "Reading has begun, a hundred messages a second at most. It goes on after a restart."


@transaction.atomic
def add_threads(of: Reading, threads: Iterable[Reading], *, now: datetime) -> None:
    """Have the threads of a channel read after it; those that are known already stay as they are."""
    guild_id = Backfill.objects.values_list("guild_id", flat=True).get(pk=of.pk)
    rows = [
        Backfill(
            guild_id=guild_id, channel_id=thread.channel_id, under=thread.under, until=thread.until,
            expected=thread.expected, asked_at=now,
        )
        for thread in threads
    ]  # fmt: skip
    Backfill.objects.bulk_create(rows, ignore_conflicts=True)


def next_reading(is_here: Callable[[int], bool], failed: Collection[int]) -> Reading | None:
    """Return what is to be read next in the guilds that are here; None when there is nothing left."""
    for row in Backfill.objects.filter(status=Status.READING).exclude(pk__in=failed).select_related("guild"):
        number = row.guild.key.partition(":")[2]
        if number.isdigit() and is_here(int(number)):
            return Reading(row.channel_id, row.until, row.expected, row.under, row.after, row.read, row.pk)
    return None


def advance(reading: Reading, *, after: int, read: int) -> bool:
    """Note how far it was read; False if it was cancelled meanwhile."""
    rows = Backfill.objects.filter(pk=reading.pk, status=Status.READING)
    return bool(rows.update(after=after, read=F("read") + read))


def finish(reading: Reading, *, status: Backfill.Status, now: datetime) -> None:
    """Note that there is no more to read."""
    Backfill.objects.filter(pk=reading.pk, status=Status.READING).update(status=status, ended_at=now)


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
        lines.append((channel.channel_id, f"{read:,}{of} messages{threads}, {STATUS_TEXTS[Status(now.status)]}"))
    return lines
