"""When something is to be: the day to come that a sentence names, and its time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from memoryhub.language import calendar, dates
from memoryhub.language.word_lists import Shapes

_HOURS = {
    name: number
    for number, name in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=1
    )
}
_WORDS = {"weekdays": [*calendar.WEEKDAYS], "numbers": [*calendar.NUMBERS], "hours": [*_HOURS]}
SHAPES = _SHAPES = Shapes(__file__, _WORDS)
_SHORT_PAST = frozenset({"met", "ran", "saw", "won", "ate", "sat", "did", "had"})
SHORTEST_PAST = 3  # letters: "red" is none
LATE_UNTIL = 7  # "at six" without more is in the evening; what "at nine" is nobody can tell
NIGHT_UNTIL = 6  # "tonight at two" is of the next day
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LONG_DAYS = {name[:3]: name for name in _DAYS} | dict(
    zip(("mo", "di", "mi", "do", "fr", "sa", "so"), _DAYS, strict=True)
)
_WORD = re.compile(r"[^\W\d_]+")
_ZONE = re.compile(r"\s*\(?(?P<zone>UTC|GMT|[A-Z]{1,3}[SD]?T|utc|gmt|[ecmp][sd]t|ces?t|bst|aes?t|[ij]st)\b")


@dataclass(frozen=True, kw_only=True)
class Due:
    """When something is to be: a moment, or a whole day by its beginning in the guild's zone."""

    at: datetime
    all_day: bool

    def is_under_way(self, text: str, said_at: datetime) -> bool:
        """Tell whether it is of the day on which it is said, and of no hour: "today we celebrate" arranges nothing."""
        return self.all_day and self.at <= said_at and not _SHAPES["late"].search(text)


class Named(NamedTuple):
    """When, and the sentence up to the end of the clause that names it: what comes after may be of something else."""

    due: Due
    head: str
    dated: bool = False  # as a day of a month, not as a weekday or "tomorrow"
    soon: bool = False  # as a time from now: "in an hour"


class _NamedDay(NamedTuple):
    day: date
    begin: int
    end: int


def named_in(text: str, *, said_at: datetime) -> Named | None:
    """Return the first day to come that a sentence names, with its time; None where it names none or tells of the past.

    `said_at` is in the guild's zone. Of what is moved it is the day after the "to". A month or a season is no day that
    a calendar holds, and a weekday that comes back ("every Friday") is no plan.
    """
    text = _SHAPES["short"].sub(lambda match: _LONG_DAYS[match[0][:3].lower()], text)
    text = _SHAPES["not_then"].sub(lambda match: " " * len(match[0]), text)
    moved, again = _SHAPES["moved"].search(text), _SHAPES["again"].search(text) is not None
    for begin in (moved.end(), 0) if moved else (0,):
        part = text[begin:]
        if named := _named_day(part, said_at) or (None if again else _weekday(part, said_at)):
            head = _head(text, begin + named.end)
            dated = any(letter.isdigit() for letter in part[named.begin : named.end])
            return None if _past(head) else Named(_at(named.day, part, said_at), head, dated)
    if (soon := _SHAPES["soon"].search(text)) and not _past(head := _head(text, soon.end())):
        return Named(Due(at=(said_at.astimezone(UTC) + _wait(soon)), all_day=False), head, soon=True)
    return None


def _head(text: str, end: int) -> str:
    """Return a sentence up to the end of the clause that goes on at `end`."""
    after = _SHAPES["clause_ends"].search(text, end)
    return text[: after.start()] if after else text


def _past(text: str) -> bool:
    words = _WORD.findall(_SHAPES["passive"].sub(" ", _SHAPES["telling"].sub("", text)))
    if _SHAPES["past_elsewhere"].search(text):
        return True
    return any(
        word.lower() == "was" or word.lower() in _SHORT_PAST or (len(word) > SHORTEST_PAST and dates.is_past_form(word))
        for word in words
    )


def _named_day(text: str, said_at: datetime) -> _NamedDay | None:
    """Return the first day that is named as a date, which counts before a weekday: "Sunday 25 October" is one day."""
    for when in dates.find(text, said_at=said_at):
        if day := _day(when, said_at):
            return _NamedDay(day, when.begin, when.end)
    return _of_a_month(text, said_at)


def _weekday(text: str, said_at: datetime) -> _NamedDay | None:
    """Return the next day of the weekday that is named."""
    match = _SHAPES["weekday"].search(text)
    if not match:
        return None
    ahead = (calendar.WEEKDAYS[match["weekday"].lower()] - said_at.weekday()) % 7 or 7
    return _NamedDay(said_at.date() + timedelta(days=ahead), match.start(), match.end())


def _day(when: dates.When, said_at: datetime) -> date | None:
    """Return the day, read as one to come: a sentence without a verb plans, where it is not known to tell."""
    if (
        when.precision not in ("day", "weekend")
        or when.preposition.startswith("since")
        or _SHAPES["over"].search(when.phrase)
    ):
        return None
    if when.start >= said_at.date():
        return when.start
    again = dates.find(f"It will be {when.phrase}", said_at=said_at)
    return next((each.start for each in again if each.start >= said_at.date()), None)


def _of_a_month(text: str, said_at: datetime) -> _NamedDay | None:
    """Return the next day of the number that is named without a month: "moved to the 14th"."""
    found = _SHAPES["of_a_month"].search(text)
    number = int(next(filter(None, found.groups()))) if found else 0
    days = (said_at.date() + timedelta(days=ahead) for ahead in range(62))
    day = next((day for day in days if day.day == number), None)
    return _NamedDay(day, found.start(), found.end()) if found and day else None


def _wait(soon: re.Match[str]) -> timedelta:
    """Return how long "in an hour" is."""
    if soon["half"] or soon["minutes"]:
        return timedelta(minutes=int(soon["minutes"] or 30))
    count = int(soon["count"]) if soon["count"].isdecimal() else 1
    return timedelta(minutes=count) if soon["unit"].lower().startswith("m") else timedelta(hours=count)


def _at(day: date, text: str, said_at: datetime) -> Due:
    clock, zone = _clock(text), said_at.tzinfo
    if clock is None:
        return Due(at=datetime.combine(day, time(), zone).astimezone(UTC), all_day=True)
    hours, own_zone = clock
    if hours.hour < NIGHT_UNTIL and day == said_at.date() and _SHAPES["night"].search(text):
        day += timedelta(days=1)
    return Due(at=datetime.combine(day, hours, own_zone or zone).astimezone(UTC), all_day=False)


def _clock(text: str) -> tuple[time, tzinfo | None] | None:
    """Return the time of day that a sentence names, and its zone if that is UTC; None where nobody can tell."""
    for match in _SHAPES["time"].finditer(text):
        zone = _ZONE.match(text, match.end())
        if zone and zone["zone"] not in ("UTC", "GMT"):
            return None
        hours = next(_hours(match, text), None)
        return (hours, UTC if zone else None) if hours else None
    return None


def _hours(match: re.Match[str], text: str) -> Iterator[time]:
    if named := match["named"]:
        yield time(23, 59) if named.lower() == "midnight" else time(12)  # the end of the day that is named
    elif match["hour"]:
        yield from _on_clock(int(match["hour"]), int(match["minute"]), match["half"])
    elif clock := match["span"] or match["uhr"] or match["heures"]:
        yield time(int(clock))
    elif match["on"]:
        yield from _on_clock(int(match["on"]), 0, match["of"])
    else:
        said = match["said"].lower()
        hour = _HOURS.get(said) or int(said)
        early, late = _SHAPES["early"].search(text), _SHAPES["late"].search(text)
        if hour < 12 and not early and (late or hour <= LATE_UNTIL):
            hour += 12
        elif hour < 12 and not early:
            return
        minutes = hour * 60 + _beside_the_hour(match)
        yield time(minutes // 60, minutes % 60)


def _beside_the_hour(match: re.Match[str]) -> int:
    """Return the minutes of "half past", "quarter past" and "quarter to"."""
    if not match["part"]:
        return 0
    minutes = 30 if match["part"].lower() == "half" else 15
    return minutes if match["side"].lower() == "past" else -minutes


def _on_clock(hour: int, minute: int, half: str | None) -> Iterator[time]:
    if half and hour <= 12:
        hour = hour % 12 + (12 if half.lower().startswith("p") else 0)
    yield time(hour, minute)
