"""Measures of recall: how much of the evidence is in the first k answers, and where the first right one stands."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from memoryhub import language

DEPTHS = (5, 10, 20)
HIT_DEPTH = 10
SAME_WORDS = 0.4  # F1 over words from which two facts count as one

Scores = dict[str, float]


@dataclass
class Tally:
    """The mean of several measures over questions, by category."""

    sums: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, categories: Collection[str], scores: Scores) -> None:
        """Count one question under each of the categories."""
        for category in categories:
            self.sums[category].update({**scores, "n": 1})

    def means(self) -> dict[str, Scores]:
        """Return the mean of each measure, and `n`, by category."""
        return {category: _mean(sums) for category, sums in self.sums.items()}


def _mean(sums: Counter[str]) -> Scores:
    count = sums["n"]
    return {name: value if name == "n" else round(value / count, 4) for name, value in sums.items()}


def retrieval(answers: Sequence[Collection[str]], evidence: Collection[str]) -> Scores:
    """Return recall at each depth, hit@10 and the reciprocal rank; each answer is what it bears evidence of."""
    wanted = set(evidence)
    right = [wanted & set(answer) for answer in answers]
    scores = {f"recall@{depth}": len(set().union(*right[:depth])) / len(wanted) for depth in DEPTHS}
    scores[f"hit@{HIT_DEPTH}"] = float(any(right[:HIT_DEPTH]))
    scores["mrr"] = next((1 / place for place, found in enumerate(right, 1) if found), 0.0)
    return scores


def word_f1(first: str, second: str) -> float:
    """Return the harmonic mean of the shares of words that two texts have in common, stop words aside."""
    ours, theirs = Counter(_stems(first)), Counter(_stems(second))
    shared = (ours & theirs).total()
    return 2 * shared / (ours.total() + theirs.total()) if shared else 0.0


def _stems(text: str) -> list[str]:
    return [language.stem(word) for word in language.content(text)]
