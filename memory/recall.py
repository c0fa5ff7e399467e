"""Answers a question with ranked memories, each with its sources, from what may be told in a channel. Reads only."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory import ranking
from memory.lanes import LANE, Probe, Signal, find, probe
from memory.memories import Memory, Source
from memory.models import Fact
from memory.ranking import Asked, Ranked, rank, without_repeats
from memory.shelves import NOTHING, SHELVES, View
from profiles.models import Channel, Guild, Member

__all__ = ["KINDS", "Memory", "Source", "look", "recall", "tell"]

KINDS = ("fact", "note", "message")
DEFAULT_LIMIT, MOST = 10, 24  # seed 000

# What one point of score is worth, kind by kind, when they are listed together.
WORTH = {"fact": 1.0, "note": 1.0, "message": 1.0}

# Facts of the past are in no index; this many of the newest are compared word by word.
PAST_FACTS = 200

Found = tuple[Any, Ranked]


def recall(
    guild: Guild, *, question: str, now: datetime, channel: Channel | None = None, member: Member | None = None,
    limit: int = DEFAULT_LIMIT, kinds: Collection[str] = KINDS, strict: bool = False, as_of: datetime | None = None,
    preset: str = ranking.DEFAULT,
) -> list[Memory]:  # fmt: skip
    """Return up to `limit` (1 to 24) memories, best first; an empty question finds nothing.

    Told are memories open to the whole guild, of `channel`, and of its parent. `member` asks about one member only.
    With `strict` nothing is returned that fails the relevance gate (000); without it the nearest come back in any case.
    `as_of` answers with what was true then.
    """
    if not guild.memory_on or not question.strip():
        return []
    limit = min(MOST, max(1, limit))
    view = View(guild=guild, channel=channel, members=None if member is None else [member], as_of=as_of)
    asked = probe(question)
    found = [
        _worth(each, kind)
        for kind in KINDS
        if kind in kinds
        for each in look(asked, view=view, kind=kind, now=now, limit=limit, strict=strict, preset=preset)
    ]
    return tell(sorted(found, key=lambda each: -each[1].score)[:limit])


def look(
    asked: Probe, *, view: View, kind: str, now: datetime, limit: int, strict: bool = False,
    preset: str = ranking.DEFAULT,
) -> list[Found]:  # fmt: skip
    """Return the best rows of one kind with their ranks; none says what a better one has said already."""
    shelf = SHELVES[kind]
    signals = _signals(asked, view, kind)
    rows = {row.pk: row for row in _rows(signals, view, kind)}
    candidates = [shelf.candidate(row, signals.get(pk, NOTHING)) for pk, row in rows.items()]
    place = Asked(
        question=asked.question, now=now, channel=view.channel.pk if view.channel else None, thresholds=asked.thresholds
    )
    ranked = rank(candidates, asked=place, preset=preset, strict=strict)
    return [(rows[each.candidate.id], each) for each in without_repeats(ranked, limit=limit)]


def _signals(asked: Probe, view: View, kind: str) -> dict[int, Signal]:
    """Ask the lanes; where the index can't tell whose its rows are, look further, since some will be another's."""
    narrowed = view.members is not None and not SHELVES[kind].by_member
    scope = view.scope(by_member=SHELVES[kind].by_member)
    return find(asked, kind=kind, scope=scope, limit=LANE[kind] * (4 if narrowed else 1))


def _rows(signals: Collection[int], view: View, kind: str) -> list[Any]:
    """Read what the lanes found, the newest, and for a moment in the past what was believed then."""
    shelf = SHELVES[kind]
    rows = [*shelf.rows(view).filter(pk__in=signals), *shelf.rows(view)[: shelf.newest]]
    if kind == "fact" and view.as_of is not None:
        rows += shelf.rows(view).filter(status=Fact.Status.SUPERSEDED)[:PAST_FACTS]
    return rows


def _worth(found: Found, kind: str) -> Found:
    row, ranked = found
    return row, replace(ranked, score=round(ranked.score * WORTH[kind], 6))


def tell(found: Sequence[Found]) -> list[Memory]:
    """Return rows as memories with their sources, in the same order, with one query or two for each kind."""
    told: dict[tuple[str, int], Memory] = {}
    for kind, shelf in SHELVES.items():
        ours = [each for each in found if each[1].candidate.kind == kind]
        if ours:
            told |= {(kind, row.pk): memory for (row, _), memory in zip(ours, shelf.memories(ours), strict=True)}
    return [told[ranked.candidate.kind, row.pk] for row, ranked in found]
