"""The times that a question names ("last summer", "on 3 June"), and whether something was said then or soon after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from memoryhub.language import dates

LONGEST = 400  # characters of a question
DAYS = {"day": 1, "weekend": 2, "week": 7, "month": 31, "season": 92, "year": 366}

# What happened is told for as long again, within these days; "before June" means the weeks before.
LEAST_AFTER, MOST_AFTER = timedelta(days=7), timedelta(days=92)
WEEKS_BEFORE = timedelta(days=31)


@dataclass(frozen=True, slots=True)
class Period:
    """Days from the first to before the end in which a question's answer may have been said."""

    first: date
    end: date


@lru_cache(maxsize=200)  # one question is ranked once for each kind of memory and each member
def named_periods(question: str, today: date) -> tuple[Period, ...]:
    """Return the times that the beginning of the question names, seen from today."""
    periods = []
    for when in dates.find(question[:LONGEST], said_at=datetime.combine(today, time(12))):
        if when.preposition in {"before", "by", "until", "till"}:
            period = Period(when.start - WEEKS_BEFORE, when.start)
        elif when.preposition in {"since", "after", "from"}:
            period = Period(when.start, today + timedelta(days=1))
        else:
            lasts = timedelta(days=DAYS[when.precision])
            period = Period(when.start, when.start + lasts + min(MOST_AFTER, max(LEAST_AFTER, lasts)))
        periods.append(period)
    return tuple(periods)


def said_in(said_at: datetime, periods: Sequence[Period]) -> bool:
    """Say whether it was said in one of the periods; the moment is by the clock by which they were named."""
    return any(period.first <= said_at.date() < period.end for period in periods)
