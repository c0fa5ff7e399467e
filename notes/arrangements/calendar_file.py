"""Plans as an iCalendar file (RFC 5545), which calendars import and subscribe to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from memoryhub.community.days import day_of
from memoryhub.community.models import Guild
from memoryhub.language.clip import one_line
from notes.arrangements.telling import Plan

CONTENT_TYPE = "text/calendar; charset=utf-8"
LINE_BYTES = 75  # of a line without its end; what is longer goes on in the next one, after a blank
_ESCAPES = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})


def calendar_of(guild: Guild, plans: Iterable[Plan], *, now: datetime) -> str:
    """Return the plans of a guild that have a day, each with an id that stays when it is moved or called off."""
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//memoryhub//plans//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH",
        f"X-WR-CALNAME:{_text(str(guild))}", *(line for plan in plans for line in _event(guild, plan, now)),
        "END:VCALENDAR",
    ]  # fmt: skip
    return "".join(f"{folded}\r\n" for line in lines for folded in _folded(line))


def _event(guild: Guild, plan: Plan, now: datetime) -> Iterator[str]:
    if plan.due is None:
        return
    yield "BEGIN:VEVENT"
    yield f"UID:{_text(f'{guild.key}/plan-{_number(plan)}@memoryhub')}"
    yield f"DTSTAMP:{_moment(now)}"
    if plan.all_day:
        day = day_of(guild, plan.due)
        yield f"DTSTART;VALUE=DATE:{day:%Y%m%d}"  # one day, where no end is named
    else:
        yield f"DTSTART:{_moment(plan.due)}"
    yield f"SEQUENCE:{max(0, len(plan.messages) - 1)}"
    yield f"STATUS:{'CANCELLED' if plan.status == 'called_off' else 'CONFIRMED'}"
    yield f"SUMMARY:{_text(plan.what)}"
    said = [f"{plan.row.message.author}: {plan.news or plan.what}", f"Said in {plan.row.channel}."]
    yield f"DESCRIPTION:{_text(chr(10).join(map(one_line, said)))}"
    yield f"LAST-MODIFIED:{_moment(plan.row.said_at)}"
    yield "END:VEVENT"


def _number(plan: Plan) -> int:
    """Return the number of the oldest row: the same whatever becomes of the plan."""
    return min([plan.row.pk, *(row.pk for row in plan.row.replaces.all())])


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _text(value: str) -> str:
    """Return text without the signs that end a line or a value; control characters have no place in it."""
    plain = value.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(sign for sign in plain if sign >= " " or sign == "\n").translate(_ESCAPES)


def _folded(line: str) -> Iterator[str]:
    """Yield a line in pieces of at most 75 bytes, none of which ends within a character."""
    piece, size = "", 0
    for sign in line:
        width = len(sign.encode())
        if size + width > LINE_BYTES:
            yield piece
            piece, size = " ", 1
        piece, size = piece + sign, size + width
    yield piece
