"""Keeps in how many texts a word is, by process: among many texts that is dear to count and changes slowly."""

from __future__ import annotations

import time
from collections.abc import Collection, Hashable, Mapping
from typing import Generic, TypeVar

# Seconds for which the count of all texts of a place serves, where they are many: it only weighs words.
TEXTS_LAST = 20

# A count is kept until there are so many more or fewer texts; so many counts are kept.
DRIFT, MOST_KEPT = 0.05, 20_000
FEW = 500  # texts

Found = TypeVar("Found")


class KeptCounts(Generic[Found]):
    """What was counted of terms in a place, each with how many texts there were then."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Hashable, int], tuple[float, Found]] = {}
        self._texts: dict[tuple[Hashable, int], tuple[float, float]] = {}

    def texts(self, place: Hashable) -> tuple[float, float] | None:
        """Return how many texts there are and their mean length, if that was counted just now and they are many."""
        return self._texts.get((place, _now()))

    def keep_texts(self, place: Hashable, *, texts: float, length: float) -> None:
        """Keep it for a while."""
        if texts >= FEW:
            if len(self._texts) >= MOST_KEPT:
                self._texts.clear()
            self._texts[place, _now()] = texts, length

    def lacking(self, place: Hashable, asked: Collection[int]) -> list[int]:
        """Return those of the terms asked that were not counted there yet."""
        return [term for term in asked if (place, term) not in self._kept]

    def still(self, place: Hashable, asked: Collection[int], *, texts: float) -> dict[int, Found]:
        """Return what is kept of the terms, without what was counted among so many more or fewer texts."""
        kept = {term: self._kept[place, term] for term in asked if (place, term) in self._kept}
        return {term: found for term, (then, found) in kept.items() if abs(texts - then) <= DRIFT * then}

    def keep(self, place: Hashable, found: Mapping[int, Found], *, texts: float) -> None:
        """Keep what was counted; nothing of few texts, where each one more counts.

        What none has should not be handed over: a long question leaves such a word out, and it may be said any moment.
        """
        if texts < FEW:
            return
        if len(self._kept) + len(found) > MOST_KEPT:
            self.clear()
        self._kept |= {(place, term): (texts, each) for term, each in found.items()}

    def clear(self) -> None:
        """Count everything anew."""
        self._kept.clear()
        self._texts.clear()


def _now() -> int:
    return int(time.monotonic() // TEXTS_LAST)
