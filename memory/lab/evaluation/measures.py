"""The measures: how much of the evidence the first answers hold, where the first right one is, how alike texts are."""

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
        return {
            category: {name: value if name == "n" else round(value / sums["n"], 4) for name, value in sums.items()}
            for category, sums in self.sums.items()
        }


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


def word_share(part: str, whole: str) -> float:
    """Return the share of a text's words that another has, stop words aside; 0 for a text of none."""
    wanted = set(_stems(part))
    return len(wanted & set(_stems(whole))) / len(wanted) if wanted else 0.0


def _stems(text: str) -> list[str]:
    return [language.stem(word) for word in language.content(text)]


def rouge_l(text: str, reference: str) -> float:
    """Return the F1 of the longest common subsequence of two texts' words (ROUGE-L), 0 to 1."""
    ours, theirs = language.tokens(text.lower()), language.tokens(reference.lower())
    lengths = [0] * (len(theirs) + 1)  # of the longest common subsequence up to each place, row by row
    for word in ours:
        before = 0
        for place, other in enumerate(theirs, 1):
            above = lengths[place]
            lengths[place] = before + 1 if word == other else max(above, lengths[place - 1])
            before = above
    return 2 * lengths[-1] / (len(ours) + len(theirs)) if lengths[-1] else 0.0
