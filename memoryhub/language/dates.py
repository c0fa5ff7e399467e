"""Date phrases of chat ("last spring", "vor drei Jahren", "3 May") as dates, by the time of the message."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from memoryhub.language import calendar
from memoryhub.language.calendar import Precision
from memoryhub.language.date_phrases import ANY, PHRASES, Reference
from memoryhub.language.word_lists import Shapes

_SHAPES = Shapes(__file__)
_KEPT = {"since", "until", "till", "from", "by", "before", "after"}


@dataclass(frozen=True)
class When:
    """A date phrase found at text[begin:end]: the first day it names, how exact it is, the preposition before it."""

    begin: int
    end: int
    phrase: str
    start: date
    precision: Precision
    preposition: str
    season: str = ""

    @property
    def written(self) -> str:
        """The phrase as an absolute date: "in spring 2025", "on 22 February 2026", "since 2019"."""
        month = calendar.MONTH_NAMES[self.start.month - 1]
        day = f"{self.start.day} {month} {self.start.year}"
        winter = f"{self.start.year}/{(self.start.year + 1) % 100:02}"
        absolute = {
            "day": day,
            "week": f"the week of {day}",
            "weekend": f"the weekend of {day}",
            "month": f"{month} {self.start.year}",
            "season": f"{self.season} {winter if self.season == 'winter' else self.start.year}",
            "year": str(self.start.year),
        }[self.precision]
        return f"{self.preposition} {absolute}"


def find(text: str, *, said_at: datetime) -> list[When]:
    """Return the date phrases of `text` that can be resolved, in order.

    A phrase without a year leans to the past, unless the text tells of the future.
    """
    if not ANY.search(text):
        return []
    ref = Reference(said_at.date(), future=bool(_SHAPES["future"].search(text)))
    found: list[When] = []
    for pattern, resolve_one in PHRASES:
        for match in pattern.finditer(text):
            taken = any(match.start() < other.end and other.begin < match.end() for other in found)
            resolved = None if taken else resolve_one(match, ref)
            if not resolved:
                continue
            start, precision = resolved
            prep, part, season = ((match.groupdict().get(name) or "").lower() for name in ("prep", "part", "season"))
            usual = "on" if precision in {"day", "weekend"} else "in"
            preposition = f"{prep if prep in _KEPT else usual} {part.strip()}".strip()
            season = season.replace("fall", "autumn")
            found.append(When(match.start(), match.end(), match.group(), start, precision, preposition, season))
    return sorted(found, key=lambda when: when.begin)


def resolve(phrase: str, *, said_at: datetime) -> date | None:
    """Return the first day that `phrase` names, None when it names none."""
    found = find(phrase, said_at=said_at)
    return found[0].start if found else None


def rewrite(text: str, *, said_at: datetime) -> str:
    """Return `text` with its relative date phrases written as dates: "moved last spring" to "moved in spring 2025"."""
    for when in reversed(find(text, said_at=said_at)):
        head = text[: when.begin]
        written = when.written.split(" ", 1)[1] if _SHAPES["linked"].search(head) else when.written
        text = head + written + text[when.end :]
    return text
