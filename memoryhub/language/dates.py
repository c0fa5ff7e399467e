"""Date phrases of chat ("last spring", "vor drei Jahren", "3 May") as dates, by the time of the message."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

from memoryhub.language import calendar
from memoryhub.language.calendar import Precision
from memoryhub.language.date_phrases import ANY, Reference, phrases
from memoryhub.language.word_lists import Shapes, load

_SHAPES, _LISTS = Shapes(__file__), load(__file__)
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_KEPT = {"since", "until", "till", "from", "by", "before", "after"}
_SINCE = {"since", "seit", "depuis", "desde"}  # what began is not ahead: "I am vegan since March"


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

    A phrase without a year is ahead where its clause tells of the future or the present, and past where it tells of
    the past or has no verb. A question may be asked of either: there only the future is ahead.
    """
    if not ANY.search(text):
        return []
    refs: dict[str, Reference] = {}
    found: list[When] = []
    for pattern, resolve_one in phrases():
        for match in pattern.finditer(text):
            taken = any(match.start() < other.end and other.begin < match.end() for other in found)
            if taken:
                continue
            clause = _clause(text, match.start(), match.end())
            if clause not in refs:
                refs[clause] = Reference(said_at.date(), tense=_tense(clause, asked="?" in text))
            prep, part, season = ((match.groupdict().get(name) or "").lower() for name in ("prep", "part", "season"))
            begun = Reference(said_at.date(), tense=-1) if prep in _SINCE else refs[clause]
            resolved = resolve_one(match, begun)
            if not resolved:
                continue
            start, precision = resolved
            usual = "on" if precision in {"day", "weekend"} else "in"
            preposition = f"{prep if prep in _KEPT else usual} {part.strip()}".strip()
            season = season.replace("fall", "autumn")
            found.append(When(match.start(), match.end(), match.group(), start, precision, preposition, season))
    return sorted(found, key=lambda when: when.begin)


def _clause(text: str, begin: int, end: int) -> str:
    """Return the clause around a phrase; an opening one that is but the phrase belongs to what follows it."""
    borders = [match.start() for match in _SHAPES["border"].finditer(text)]
    first = max((place for place in borders if place < begin), default=0)
    last = min((place for place in borders if place >= end), default=len(text))
    alone = not text[first:begin].strip(" ,;.-")
    after = min((place for place in borders if place > last), default=len(text)) if alone else last
    return text[first:after]


def _tense(clause: str, *, asked: bool) -> int:
    """Return 1 where a clause tells of what comes or is, -1 of what was, 0 where it does not say."""
    if _SHAPES["future"].search(clause):
        return 1
    if asked or _SHAPES["habit"].search(clause):
        return 0
    clause = _SHAPES["holds"].sub("has ", clause)
    words = ((word[0], clause[: word.start()]) for word in _WORD.finditer(clause))
    if _SHAPES["had"].search(clause) or any(
        is_past_form(word) and not _SHAPES["is"].search(head) for word, head in words
    ):
        return -1
    return 1 if _SHAPES["present"].search(clause) else 0


def is_past_form(verb: str) -> bool:
    """Say if an English form is one of the past, whoever does it."""
    word, past = verb.lower(), _LISTS["past verbs"]
    again = word.startswith("re") and word.removeprefix("re") in past
    return word in past or again or (word.endswith("ed") and word not in _LISTS["not past"])


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
