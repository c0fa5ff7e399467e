"""Leaves out of a ranked list what a better answer has said already; knows no database."""

from __future__ import annotations

from collections.abc import Iterable

from memory.recall.ranking import Ranked
from memory.recall.results import Memory
from memory.recall.word_overlap import COMPARED
from memoryhub.language.same_statement import Meaning, holds, meaning, same


def without_repeats(ranked: Iterable[Ranked], *, limit: int) -> list[Ranked]:
    """Return the first `limit` that do not say, of the same subject, what a better one has said already."""
    kept: list[Ranked] = []
    told: dict[tuple[str, int], list[Meaning]] = {}
    for each in ranked:
        if len(kept) == limit:
            break
        better = told.setdefault((each.candidate.kind, each.candidate.subject), [])
        said = meaning(each.candidate.text[:COMPARED])
        # Most have no word in common, which is seen at once.
        near = (other for other in better if not said.marks.isdisjoint(other.marks))
        if not any(says_the_same(said, other) for other in near):
            kept.append(each)
            better.append(said)
    return kept


def told_once(memories: Iterable[Memory]) -> list[Memory]:
    """Return the memories without a conversation that a better topic joins, or a topic that joins a better one."""
    kept, told = list[Memory](), set[str | None]()
    for memory in memories:
        parts = {str(memory.id), *(source.note_id for source in memory.sources)} if memory.kind == "note" else set()
        if told.isdisjoint(parts):
            kept.append(memory)
            told |= parts
    return kept


def says_the_same(one: Meaning, other: Meaning) -> bool:
    """Say whether two texts have nearly the same words, and the same numbers."""
    return same(one, other) and _same_numbers(one, other)


def says(whole: Meaning, part: Meaning) -> bool:
    """Say whether a text says what the other does and little more, with the same numbers."""
    return (same(whole, part) or holds(whole, part)) and _same_numbers(whole, part)


def _same_numbers(one: Meaning, other: Meaning) -> bool:
    return not any(mark[0].isdigit() for mark in one.marks ^ other.marks)
