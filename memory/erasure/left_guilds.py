"""Guilds that the bot was removed from: their memory is purged after a time of grace, unless the bot comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from memory import erasure
from memory.records.action_log import log
from memory.records.isolation import isolated
from memoryhub.community.models import Guild


def bot_left(guild: Guild, *, now: datetime) -> None:
    """Note that the bot was removed; of several such notes the first time counts."""
    if Guild.objects.filter(pk=guild.pk, left_at=None).update(left_at=now):
        log("left", guild=guild, now=now, purged_after_days=guild.leaving_days)


def bot_returned(guild: Guild, *, now: datetime) -> None:
    """Note that the bot is there again: nothing is purged."""
    if Guild.objects.filter(pk=guild.pk).exclude(left_at=None).update(left_at=None):
        log("came_back", guild=guild, now=now)


def purge_time(guild: Guild) -> datetime | None:
    """Return when the guild's memory goes; None if it stays."""
    if guild.left_at is None or guild.leaving_days is None:
        return None
    return guild.left_at + timedelta(days=guild.leaving_days)


def guilds_to_purge() -> Iterable[tuple[Guild, datetime]]:
    """Return the guilds whose memory is to go, and when."""
    guilds = Guild.objects.exclude(left_at=None).exclude(leaving_days=None)
    return ((guild, when) for guild in guilds if (when := purge_time(guild)))


def purge_due(*, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> int:
    """Purge the guilds whose time of grace is over; return how many. One that has the bot back by then is spared."""
    purged = 0
    for guild in [guild for guild, when in guilds_to_purge() if when <= now]:
        if not keep_going():
            break
        with isolated("departures"):  # of a guild that goes no line is kept
            if not Guild.objects.filter(pk=guild.pk, left_at=guild.left_at).exists():
                continue
            job = erasure.run(erasure.begin(guild, now=now, by="departure"), now=now, keep_going=keep_going)
            if job.finished_at:  # else another process is at it, or the worker goes on with it in a minute
                log("purged", now=now, receipt=str(job.pk))
                purged += 1
    return purged
