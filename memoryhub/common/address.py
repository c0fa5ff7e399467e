"""Reads what an address or a form says: a row's id, a day, a moment, some words; what is none was not given."""

from __future__ import annotations

from datetime import UTC, date, datetime

from django.http import QueryDict
from django.utils.dateparse import parse_date

MOMENT = "%Y%m%dT%H%M%S%f"  # in UTC, to the microsecond


def number(text: str | None) -> int | None:
    """Return a row id; what is no id is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


def day(text: str) -> date | None:
    """Return a day; one before or after which the calendar has no other is none, since all reckon with it."""
    try:
        found = parse_date(text)
    except ValueError:
        return None
    return found if found and date.min < found < date.max else None


def moment(text: str) -> datetime | None:
    """Return a moment that was written as MOMENT."""
    try:
        return datetime.strptime(text, MOMENT).replace(tzinfo=UTC)
    except ValueError:
        return None


def words(given: QueryDict, name: str, *, most: int) -> str:
    """Return the words of a field, at most so many characters; no database stores a zero byte."""
    return given.get(name, "").replace("\0", "").strip()[:most]
