"""Learns in which direction messages lie that say something lasting, from the texts in `lasting_texts`.

Both files were written for this: what a friend would still know of somebody, or of a group, half a year later, mostly
told in passing; and what nobody needs next month, of the same length and manner. A plane parts them well enough (ridge
regression), and its direction finds them as a question would.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.lab import training_texts
from memoryhub.ai.embedding.embedder import Embedder

TEXTS = Path(__file__).parent / "lasting_texts"
RIDGE = 10.0  # how strongly weights are held small; 3 to 30 is about as good on texts that were held back
PASSED = 0.1  # of the chatter that was held back, what counts as lasting all the same
ALIKE = 50  # texts that stand together are of one chat, and are held back together

Vectors = NDArray[np.float64]


def texts() -> tuple[list[str], list[str]]:
    """Return what says something that lasts, and chatter, each as `author: text`."""
    return training_texts.lines_of(TEXTS / "lasting.txt"), training_texts.lines_of(TEXTS / "chatter.txt")


def fingerprint() -> str:
    """Return what tells whether the texts are those that the direction was learned from."""
    return training_texts.fingerprint(*texts())


def train(model: Embedder) -> dict[str, Any]:
    """Return what `lasting.json` holds; embeds all texts, a minute."""
    told, chatter = texts()
    vectors = model.passages([*told, *chatter]).astype(np.float64)
    lasts = np.arange(len(vectors)) < len(told)
    cosines, fold = np.zeros(len(vectors)), training_texts.folds(len(told), len(chatter), alike=ALIKE)
    for held in range(training_texts.FOLDS):
        cosines[fold == held] = vectors[fold == held] @ fit(vectors[fold != held], lasts[fold != held])
    least = float(np.quantile(cosines[~lasts], 1 - PASSED))
    return {
        "embedder": model.identity,
        "texts": fingerprint(),
        "seen": round(float((cosines[lasts] > least).mean()), 3),  # of the lasting ones that were held back
        "least": round(least, 4),
        "direction": [round(float(number), 4) for number in fit(vectors, lasts)],
    }


def fit(vectors: Vectors, lasts: NDArray[np.bool_]) -> Vectors:
    """Return the unit vector to which those that last are nearer than the others; both kinds weigh the same."""
    rows, weigh = vectors - vectors.mean(0), np.where(lasts, (~lasts).sum() / lasts.sum(), 1.0)
    square = rows.T @ (weigh[:, None] * rows) + RIDGE * np.eye(rows.shape[1])
    direction: Vectors = np.linalg.solve(square, rows.T @ (weigh * np.where(lasts, 1.0, -1.0)))
    return direction / np.linalg.norm(direction)
