"""Whether a line tells in other words what a person took out of a profile: the embedder knows where words do not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryhub.ai import ModelFailed, embedder
from memoryhub.language import names
from memoryhub.language.same_statement import meaning

_NUMBER = re.compile(r"\d+")


def reworded(refused: Sequence[str], told: Sequence[str], *, member: str) -> frozenset[tuple[str, str]]:
    """Return the pairs of a refused text and one that means the same; none without an embedder that answers.

    Opposites are near each other too, and so are two towns: a pair with a name, a number or a "not" of its own is none.
    """
    model = embedder()
    if model is None or not refused or not told:
        return frozenset()
    try:
        vectors = model.passages([f"{member}: {text}" for text in (*refused, *told)])
    except ModelFailed:
        return frozenset()
    near = vectors[: len(refused)] @ vectors[len(refused) :].T >= model.thresholds.reworded
    return frozenset(
        (old, new)
        for row, old in enumerate(refused)
        for column, new in enumerate(told)
        if near[row, column] and _marks(old) == _marks(new)
    )


def _marks(text: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """Return what two texts that mean the same have in common, whatever else their words are."""
    return frozenset(names(text)), frozenset(_NUMBER.findall(text)), meaning(text).turned
