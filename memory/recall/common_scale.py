"""Makes the scores of facts, notes and messages comparable, for one list of all; knows no database."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memory.recall.ranking import Ranked

Scale = Callable[[str, Sequence[Ranked]], list[float]]
"""From a kind and its rows, judged and best first, to scores that compare with those of the other kinds."""

# What a point of score is worth, kind by kind, so that equal scores are about equally often right (measured).
WORTH = {"fact": 0.7, "note": 0.8, "message": 0.5}
# The same where lines are weighed against lines: notes, which are of several people, come after them.
WORTH_OF_LINES = {"fact": 0.6, "note": 0.6, "message": 0.55}

# What a fact gets for each point by which it is ahead of the other facts that were found, less what one gets by chance.
AHEAD, BY_CHANCE = 0.5, 0.08


def for_reading(kind: str, ranked: Sequence[Ranked]) -> list[float]:
    """Return scores for whoever reads from the top; 0 to a little more than 1.

    A note holds a whole talk, so it is right more often than a fact of the same score; but where a fact answers, it is
    the answer in one line. How far it is ahead of the other facts tells that better than its score does, since of
    whoever much is known, many facts are about as near. What fails the relevance gate is ahead of nothing.
    """
    worth = [WORTH[kind] * each.score for each in ranked]
    if kind != "fact":
        return worth
    others = [each.score for each in ranked[1:]]
    usual = sum(others) / len(others) if others else 0.0
    ahead = [AHEAD * (each.score - usual) - BY_CHANCE for each in ranked]
    return [
        max(0.0, value + (more if each.gate else min(0.0, more)))
        for each, value, more in zip(ranked, worth, ahead, strict=True)
    ]


def for_weighing(kind: str, ranked: Sequence[Ranked]) -> list[float]:
    """Return scores for whoever asks whose lines are ahead and by how much; 0 to about 1."""
    return [WORTH_OF_LINES[kind] * each.score for each in ranked]
