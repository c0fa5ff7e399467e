"""A guild's clock and days: from midnight to midnight in its time zone, 23 to 25 hours long where the clocks change."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from memoryhub.community.models import Guild


def local(guild: Guild, moment: datetime) -> datetime:
    """Return the moment by the guild's clock."""
    try:
        return moment.astimezone(ZoneInfo(guild.time_zone))
    except OverflowError:  # at the ends of the calendar some zones have no such day any more
        return moment


def day_of(guild: Guild, moment: datetime) -> date:
    """Return the day on which the moment falls in the guild."""
    return local(guild, moment).date()


def begin_of(guild: Guild, day: date) -> datetime:
    """Return the moment, in UTC, at which the guild's day begins; each day ends where the next one begins."""
    return datetime.combine(day, time(), ZoneInfo(guild.time_zone)).astimezone(UTC)


def span(guild: Guild, day: date) -> tuple[datetime, datetime]:
    """Return the moments at which the guild's day begins and ends."""
    return begin_of(guild, day), begin_of(guild, day + timedelta(days=1))
