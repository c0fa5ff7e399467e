"""A month as weeks of days, with how much fell on each: what a template draws as a calendar."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

LEVELS = 4  # shades of a day on which something happened


@dataclass(frozen=True)
class Day:
    """A day of the sheet; `level` goes from 0 (nothing) to 4 (as much as on the fullest day of the month)."""

    day: date
    count: int
    level: int
    within: bool  # the month, not before or after it


@dataclass(frozen=True)
class Month:
    """The sheet of one month, and the months before and after it that have something; None where there is none."""

    first: date
    weeks: Sequence[Sequence[Day]]
    earlier: date | None
    later: date | None

    @property
    def total(self) -> int:
        """Return how much happened in it."""
        return sum(day.count for week in self.weeks for day in week)


def first_of(day: date) -> date:
    """Return the first day of the day's month."""
    return day.replace(day=1)


def span_of(first: date) -> tuple[date, date]:
    """Return the first and the last day of a month."""
    return first, first.replace(day=monthrange(first.year, first.month)[1])


def month_of(first: date, counts: Mapping[date, int], *, earlier: date | None, later: date | None) -> Month:
    """Return the sheet of the month that begins on `first`; `earlier` and `later` are days with something in them."""
    begin, end = span_of(first)
    most = max([count for day, count in counts.items() if begin <= day <= end], default=0)
    lead = begin.weekday()
    length = lead + end.day
    weeks = []
    for start in range(0, length, 7):
        week = []
        for place in range(start, start + 7):
            day = begin + timedelta(days=place - lead)
            within = begin <= day <= end
            count = counts.get(day, 0) if within else 0
            week.append(Day(day, count, -(-LEVELS * count // most) if count else 0, within))
        weeks.append(week)
    return Month(begin, weeks, first_of(earlier) if earlier else None, first_of(later) if later else None)
