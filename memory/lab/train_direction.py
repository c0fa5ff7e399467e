"""Learns in which direction embeddings lie of texts of one kind, from such texts and others that were written for this.

A plane parts both kinds well enough (ridge regression), and its direction finds the one as a question would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.lab import training_texts
from memoryhub.ai.embedding import directions
from memoryhub.ai.embedding.embedder import Embedder

Vectors = NDArray[np.float64]

ALIKE = 50  # texts that stand together are of one chat, and are held back together


def _as_messages(model: Embedder, texts: Sequence[str]) -> Vectors:
    return model.passages(texts).astype(np.float64)


def _as_questions(model: Embedder, texts: Sequence[str]) -> Vectors:
    return np.stack([model.query(text) for text in texts]).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of texts and what it is told from, as files of `folder`; of the others, `passed` may count as it.

    `ridge` is how strongly weights are held small: three times as much or a third is about as good on texts that were
    held back.
    """

    name: str
    folder: Path
    files: tuple[str, str]
    embedded: Callable[[Embedder, Sequence[str]], Vectors]
    passed: float
    ridge: float

    def texts(self) -> tuple[list[str], list[str]]:
        """Return the texts of the kind, and the others."""
        of_kind, others = (training_texts.lines_of(self.folder / f"{name}.txt") for name in self.files)
        return of_kind, others

    def fingerprint(self) -> str:
        """Return what tells whether the texts are those that the direction was learned from."""
        return training_texts.fingerprint(*self.texts())


HERE = Path(__file__).parent
KINDS = {
    # What a friend would still know of somebody, or of a group, half a year later, mostly told in passing, each as
    # `author: text`; and what nobody needs next month, of the same length and manner.
    directions.LASTING: Kind(
        name=directions.LASTING, folder=HERE / "lasting_texts", files=("lasting", "chatter"), embedded=_as_messages,
        passed=0.1, ridge=10.0,
    ),
    # What is asked of a bot that any book answers, or none; and what is asked of the community that it lives in.
    directions.GENERAL: Kind(
        name=directions.GENERAL, folder=HERE / "general_texts", files=("general", "community"),
        embedded=_as_questions, passed=0.05, ridge=1.0,
    ),
}  # fmt: skip


def train(kind: Kind, model: Embedder) -> dict[str, Any]:
    """Return what the direction's file holds; embeds all texts, a minute."""
    of_kind, others = kind.texts()
    vectors = kind.embedded(model, [*of_kind, *others])
    mine = np.arange(len(vectors)) < len(of_kind)
    cosines, fold = np.zeros(len(vectors)), training_texts.folds(len(of_kind), len(others), alike=ALIKE)
    for held in range(training_texts.FOLDS):
        cosines[fold == held] = vectors[fold == held] @ fit(vectors[fold != held], mine[fold != held], kind.ridge)
    least = float(np.quantile(cosines[~mine], 1 - kind.passed))
    return {
        "embedder": model.identity,
        "texts": kind.fingerprint(),
        "seen": round(float((cosines[mine] > least).mean()), 3),  # of the kind's own that were held back
        "least": round(least, 4),
        "direction": [round(float(number), 4) for number in fit(vectors, mine, kind.ridge)],
    }


def fit(vectors: Vectors, mine: NDArray[np.bool_], ridge: float) -> Vectors:
    """Return the unit vector to which those that are `mine` are nearer than the others; both kinds weigh the same."""
    rows, weigh = vectors - vectors.mean(0), np.where(mine, (~mine).sum() / mine.sum(), 1.0)
    square = rows.T @ (weigh[:, None] * rows) + ridge * np.eye(rows.shape[1])
    direction: Vectors = np.linalg.solve(square, rows.T @ (weigh * np.where(mine, 1.0, -1.0)))
    return direction / np.linalg.norm(direction)
