"""How close two members probably are, from what they did towards each other: pure arithmetic.

score = 0.4 * replies + 0.4 * mentions + 0.2 * ln(1 + hours), each day's share fading by e^(-0.06 * days gone);
strength = 1 - e^(-0.2 * score); confidence = 1 - e^(-0.25 * (replies + mentions + min(5, hours))), which does not fade.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log1p

ACT = 0.4  # a reply or a mention
TALK = 0.2  # by the logarithm of hours
FADING = 0.06  # a day: half is left after 11.55
SLOPE = 0.2
SURENESS = 0.25
MOST_HOURS = 5.0  # that make anything surer
# A conversation that both took part in counts like this much of speaking together.
TOGETHER_HOURS = 0.25
LABELS = ((0.7, "likely close"), (0.4, "moderate"), (0.2, "emerging"), (0.0, "weak"))


@dataclass(slots=True)
class Counts:
    """What one member did towards another; `together` (conversations) and `voice_minutes` are the same both ways."""

    replies: int = 0
    mentions: int = 0
    together: int = 0
    voice_minutes: int = 0

    @property
    def acts(self) -> int:
        """Return what was done towards the other: replies and mentions."""
        return self.replies + self.mentions

    @property
    def hours(self) -> float:
        """Return the time spent together."""
        return self.voice_minutes / 60 + self.together * TOGETHER_HOURS

    def add(self, other: Counts) -> None:
        """Count the other's, too."""
        self.replies += other.replies
        self.mentions += other.mentions
        self.together += other.together
        self.voice_minutes += other.voice_minutes


@lru_cache(maxsize=4096)
def left(days: int) -> float:
    """Return which part of what was done so many days ago still counts; what lies ahead counts in full."""
    return exp(-FADING * max(0, days))


def strength(done: Iterable[tuple[int, float, float]]) -> float:
    """Return 0 to 1 for what was done: (days ago, replies and mentions, hours), of both members towards each other."""
    acts = hours = 0.0
    for days, some, time in done:
        acts += some * left(days)
        hours += time * left(days)
    return 1 - exp(-SLOPE * (ACT * acts + TALK * log1p(hours)))


def confidence(acts: float, hours: float) -> float:
    """Return 0 to 1 for how much all that was ever counted says: it grows with the evidence and does not fade."""
    return 1 - exp(-SURENESS * (acts + min(MOST_HOURS, hours)))


def label(strength: float) -> str:
    """Return the word for a strength, from "weak" to "likely close"."""
    return next(word for least, word in LABELS if strength >= least or least == 0)


def reciprocity(forth: Counts, back: Counts) -> float:
    """Return 0 (all came from one) to 1 (as much from either); 0 where nobody turned to the other."""
    most = max(forth.acts, back.acts)
    return min(forth.acts, back.acts) / most if most else 0.0
