"""Puts a statement that something has changed before what its author said earlier; knows no database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TypeVar

from memory.recall import time_filter
from memory.recall.ranking import Ranked
from memory.recall.word_overlap import COMPARED
from memoryhub.language import calendar
from memoryhub.language.word_lists import Shapes

_SHAPES = Shapes(__file__, {"named": [*calendar.MONTHS, *calendar.WEEKDAYS]})

# How far below the earlier statement the newer one may be, in recall's score of several kinds. Of wider ones the
# newer is about something else too often.
AS_GOOD = 0.06
# What was said within these belongs to the same talk, and replaces nothing.
ONE_TALK = timedelta(hours=6)

Row = TypeVar("Row")


def newer_first(
    results: Sequence[tuple[Row, Ranked]], *, question: str, today: date
) -> list[tuple[Row, Ranked]]:  # fmt: skip
    """Return rows with their ranks, best first, with changes before what they may have changed.

    That is what is about the same member, said before that day's talk and hardly better for the question; the change
    then has its score. A question about former times is answered as it was ranked.
    """
    if asks_of_the_past(question, today):
        return list(results)
    ordered: list[tuple[Row, Ranked]] = []
    for row, ranked in results:
        older = (place for place, (_, other) in enumerate(ordered) if _may_replace(ranked, other))
        place = next(older, len(ordered))
        if place < len(ordered) and _tells_of_a_change(ranked.candidate.text[:COMPARED]):
            ordered.insert(place, (row, ranked._replace(score=ordered[place][1].score)))
        else:
            ordered.append((row, ranked))
    return ordered


def asks_of_the_past(question: str, today: date) -> bool:
    """Say whether a question asks what was, not what is, by its words or by a time that it names."""
    named = time_filter.named_periods(question, today)
    return any(period.first < today for period in named) or bool(_SHAPES["past"].search(question))


def _tells_of_a_change(text: str) -> bool:
    return bool(_SHAPES["changes"].search(text))


def _may_replace(one: Ranked, other: Ranked) -> bool:
    newer, older = one.candidate, other.candidate
    return bool(
        other.score - one.score <= AS_GOOD
        and newer.subject
        and newer.subject == older.subject
        and newer.said_at - older.said_at > ONE_TALK
    )
