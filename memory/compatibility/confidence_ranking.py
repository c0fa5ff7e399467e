"""The preset `seed002`: established facts first, surer and newer before others, as many as so many characters hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from memory.facts.confidence import ESTABLISHED
from memory.recall.ranking import Candidate, Criteria, Ranked, recency

CHARACTERS = 4_000  # of all lines, each with its line break
COMPOSER_FACTS, COMPOSER_CHARACTERS = 20, 1_500  # the smaller slice, for composing a reply


class Weighed(Protocol):
    """What can be put in this order: a fact, or a candidate for an answer."""

    @property
    def confidence(self) -> float:
        """How sure it is, 0.3 to 1."""

    @property
    def said_at(self) -> datetime:
        """When it was said."""

    @property
    def last_reinforced_at(self) -> datetime | None:
        """When it was said again."""


F = TypeVar("F", bound=Weighed)


def by_confidence(candidates: Sequence[Candidate], criteria: Criteria) -> list[Ranked]:
    """Return the candidates in this order, whatever was asked: the score is the confidence."""
    return [
        Ranked(
            each,
            each.confidence,
            {"confidence": each.confidence, "recency": recency(each.last_reinforced_at or each.said_at, criteria.now)},
        )
        for each in established_first(candidates)
    ]


def within_characters(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return those that are told, by their own words."""
    return selected(candidates, line=lambda each: each.text)


def established_first(facts: Iterable[F]) -> list[F]:
    """Return all of them: established ones before observations, the surer first, then what was heard last."""
    return sorted(facts, key=lambda each: (-each.confidence, -(each.last_reinforced_at or each.said_at).timestamp()))


def selected(
    facts: Iterable[F], *, line: Callable[[F], str], characters: int = CHARACTERS, most: int | None = None
) -> list[F]:
    """Return in that order the facts whose lines fit; each group ends at its first line that does not fit."""
    kept: list[F] = []
    room, full = characters, set()
    for each in established_first(facts):
        established = each.confidence >= ESTABLISHED
        cost = len(line(each)) + 1
        if established in full or cost > room:
            full.add(established)
        else:
            kept.append(each)
            room -= cost
    return kept[:most]
