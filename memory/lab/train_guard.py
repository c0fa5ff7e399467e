"""Learns the weights of the guard that tells orders to a bot by their meaning, from the texts in `guard_texts`.

Both files were written for this, in many languages and styles: orders of every kind, plain facts, and harmless
sentences that look like orders. A logistic regression learns them; the line is drawn where it refuses few of the
plain ones that it has not seen.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.facts.normalization import sentence
from memoryhub.ai.embedding.embedder import Embedder

TEXTS = Path(__file__).parent / "guard_texts"
RIDGE = 100.0  # how strongly weights are held small: of 3 to 1000, the best on texts that were held back
REFUSED = 0.07  # of the plain texts that were held back, most of which look like orders; of everyday facts under 1 %
FOLDS = 5
STEPS = 30  # Newton's method needs eight

Vectors = NDArray[np.float64]


def texts() -> tuple[list[str], list[str]]:
    """Return the attacks and the plain texts, each with an end as facts have."""
    attacks, plain = (
        [sentence(line) for line in (TEXTS / name).read_text(encoding="utf-8").splitlines() if line.strip()]
        for name in ("attacks.txt", "plain.txt")
    )
    return attacks, plain


def fingerprint() -> str:
    """Return what tells whether the texts are those that the weights were learned from."""
    return hashlib.sha256("\n".join(line for lines in texts() for line in lines).encode()).hexdigest()


def train(model: Embedder) -> dict[str, Any]:
    """Return weights and bias (a text whose vector gives more than 0 is an order); embeds all texts, about a minute."""
    attacks, plain = texts()
    vectors = model.passages([*attacks, *plain]).astype(np.float64)
    orders = np.arange(len(vectors)) < len(attacks)
    weights, bias = fit(vectors, orders)
    scores, fold = np.zeros(len(vectors)), np.arange(len(vectors)) % FOLDS
    for held in range(FOLDS):
        w, b = fit(vectors[fold != held], orders[fold != held])
        scores[fold == held] = vectors[fold == held] @ w + b
    line = float(np.quantile(scores[~orders], 1 - REFUSED))
    return {
        "embedder": model.identity,
        "texts": fingerprint(),
        "seen": round(float((scores[orders] > line).mean()), 3),  # of the attacks that were held back
        "bias": round(bias - line, 4),
        "weights": [round(float(weight), 4) for weight in weights],
    }


def fit(vectors: Vectors, orders: NDArray[np.bool_]) -> tuple[Vectors, float]:
    """Return weights and bias of the logistic regression; both kinds of texts weigh the same in all."""
    mean, spread = vectors.mean(0), vectors.std(0)
    rows = np.c_[(vectors - mean) / spread, np.ones(len(vectors))]
    weigh = np.where(orders, (~orders).sum() / orders.sum(), 1.0)
    ridge = np.diag(np.r_[np.full(vectors.shape[1], RIDGE), 1e-9])
    w = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-rows @ w))
        slope = rows.T @ (weigh * (likely - orders)) + ridge @ w
        bend = (rows * (weigh * likely * (1 - likely))[:, None]).T @ rows + ridge
        step = np.linalg.solve(bend, slope)
        w -= step
        if np.abs(step).max() < 1e-9:
            break
    weights = w[:-1] / spread
    return weights, float(w[-1] - mean @ weights)
