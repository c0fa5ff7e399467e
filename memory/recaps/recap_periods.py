"""Which week or month a guild's recap tells of, and when it is due: in the guild's own time zone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from memory.models import Recap
from memoryhub.community.days import begin_of, day_of
from memoryhub.community.models import Guild

AT = time(9)  # of the guild's clock: people are up, and the night's work is done
LATE = timedelta(days=2)
"""How long after its time a recap is still written: who switches recaps on gets none of what is long over."""


@dataclass(frozen=True, kw_only=True)
class Period:
    """A stretch of time from midnight to midnight, and when its recap is due."""

    every: Recap.Every
    since: datetime
    until: datetime
    due_at: datetime


def last_period(guild: Guild, *, now: datetime) -> Period:
    """Return the last whole week, from Monday on, or month."""
    today = day_of(guild, now)
    if guild.recap == Recap.Every.MONTH:
        end = today.replace(day=1)
        return _period(guild, Recap.Every.MONTH, (end - timedelta(days=1)).replace(day=1), end)
    end = today - timedelta(days=today.weekday())
    return _period(guild, Recap.Every.WEEK, end - timedelta(days=7), end)


def next_period(guild: Guild, *, now: datetime) -> Period:
    """Return the week or month that goes on."""
    last = last_period(guild, now=now)
    ahead = timedelta(days=31 if last.every == Recap.Every.MONTH else 7)
    return last_period(guild, now=begin_of(guild, day_of(guild, last.until) + ahead))


def _period(guild: Guild, every: Recap.Every, since: date, until: date) -> Period:
    due_at = datetime.combine(until, AT, ZoneInfo(guild.time_zone))
    return Period(every=every, since=begin_of(guild, since), until=begin_of(guild, until), due_at=due_at)


def due_period(guild: Guild, *, now: datetime) -> Period | None:
    """Return the period whose recap is to be written now; None where none is, or it was written."""
    if guild.recap == Guild.Recaps.OFF or not guild.memory_on or guild.left_at:
        return None
    period = last_period(guild, now=now)
    if not period.due_at <= now < period.due_at + LATE:
        return None
    written = Recap.objects.of(guild).filter(every=period.every, until=period.until)
    return None if written.exists() else period


def next_time(guild: Guild, *, now: datetime) -> datetime | None:
    """Return when a recap is due next: now if one is; None for a guild that has none."""
    if guild.recap == Guild.Recaps.OFF or not guild.memory_on or guild.left_at:
        return None
    if due_period(guild, now=now):
        return now
    last = last_period(guild, now=now)
    return last.due_at if now < last.due_at else next_period(guild, now=now).due_at
