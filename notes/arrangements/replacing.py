"""Which decision or plan stands for which: one that is said later of the same matter, or what a later one repeats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from difflib import SequenceMatcher
from functools import cached_property

from memoryhub.language import calendar, stem
from memoryhub.language.word_lists import Shapes
from notes.models import Arrangement
from notes.writing.key_sentences import terms

Change = Arrangement.Change
SHARED = 0.5  # of the fewer words of two, for one matter
ALIKE = 0.8  # of the words of two sentences in their order: the same decision but for a word
LATELY = timedelta(days=2)  # how long "it is moved" may mean the plan that was told of last
DAY = timedelta(days=1)
_SHAPES = Shapes(__file__, {"weekdays": [*calendar.WEEKDAYS]})
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th)?")
_ARRANGING = """
    decide decided decision agree agreed settle settled chose choose final answer deal go going use using meet let move
    moved moving push pushed postpone postponed reschedule rescheduled delay delayed shift shifted slip slipped change
    changed bring brought forward back put call called off cancel cancelled canceled happen happening scrap scrapped
    instead plan planned schedule scheduled set start starts starting begin begins end noon midnight today tonight
    tomorrow morning afternoon evening night clock time date new held everyone everybody due rule
    """
_WHEN = (calendar.WEEKDAYS, calendar.MONTHS, calendar.NUMBERS, calendar.UNITS, calendar.SEASONS, _ARRANGING.split())
_NO_MATTER = frozenset(stem(word) for words in _WHEN for word in words)


@dataclass(frozen=True, kw_only=True)
class Said:
    """One row as it is compared: `place` is its channel, `day` the guild's day on which it is due."""

    pk: int
    text: str
    said_at: datetime
    place: int
    decided: bool = False
    change: str = Change.NONE
    due_at: datetime | None = None
    day: date | None = None
    timed: bool = False

    @cached_property
    def matter(self) -> frozenset[str]:
        """The words of what it is about."""
        return matter(self.text)

    @cached_property
    def events(self) -> frozenset[str]:
        """The words in it that name what people come together for."""
        return frozenset(match[0].casefold().removesuffix("s") for match in _SHAPES["event"].finditer(self.text))

    @property
    def planned(self) -> bool:
        """Whether it is a plan, or what becomes of one."""
        return self.due_at is not None or bool(self.change)


def standing_for(rows: Sequence[Said]) -> dict[int, int]:
    """Return for each row that no longer stands the one that does; all are of one audience, in the order of saying."""
    head: dict[int, int] = {}
    stands: list[Said] = []
    for row in rows:
        before = next((each for each in reversed(stands) if _same(row, each)), None)
        if before is None:
            stands.append(row)
        elif _repeats(row, before):
            head[row.pk] = before.pk
        else:
            head |= {pk: row.pk for pk, other in head.items() if other == before.pk} | {before.pk: row.pk}
            stands.remove(before)
            stands.append(row)
    return head


def _same(row: Said, before: Said) -> bool:
    """Tell whether a row speaks of what an earlier one arranged."""
    if row.planned != before.planned:
        return False
    if row.planned:
        if before.due_at is not None and before.due_at < row.said_at - DAY:
            return False
        if _of_one_plan(row, before):
            return True
    return row.decided and before.decided and _of_one_matter(row, before)


def _of_one_plan(row: Said, before: Said) -> bool:
    """Tell so of plans: two on different days are two, unless the later one says that it changes something."""
    words, theirs = row.matter, before.matter
    shared = words & theirs
    if row.change or _SHAPES["instead"].search(row.text):
        if not words:
            return row.place == before.place and row.said_at - before.said_at <= LATELY
        return len(shared) >= SHARED * min(len(words), len(theirs) or 1) and bool(shared)
    same_day = row.day is not None and row.day == before.day
    if same_day and row.events & before.events:
        return True
    return same_day and bool(shared) and len(shared) >= SHARED * min(len(words), len(theirs))


def _of_one_matter(row: Said, before: Said) -> bool:
    words, theirs = row.matter, before.matter
    shared = words & theirs
    if not shared:
        return False
    if len(shared) > 1 and len(shared) > SHARED * min(len(words), len(theirs)):
        return True
    if _SHAPES["instead"].search(row.text):
        return len(shared) >= SHARED * min(len(words), len(theirs))
    one, other = _WORD.findall(row.text.casefold()), _WORD.findall(before.text.casefold())
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE


def _repeats(row: Said, before: Said) -> bool:
    """Tell whether a later plan says no more than the earlier one: the same day, and nothing of a change."""
    if row.change or row.decided or row.day is None or _SHAPES["instead"].search(row.text):
        return False
    if row.day != before.day or (row.timed and not before.timed):
        return False
    return len(row.text) <= len(before.text) or before.timed != row.timed


def is_event(text: str) -> bool:
    """Tell whether a text names what people come together for."""
    return _SHAPES["event"].search(text) is not None


def matter(text: str) -> frozenset[str]:
    """Return the stems of what a text arranges, without when, and without the words for arranging."""
    return frozenset(word for word in terms(text) if word not in _NO_MATTER and not _NUMBER.fullmatch(word))
