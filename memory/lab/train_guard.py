"""Learns the weights of the guard that tells orders to a bot by their meaning, from the texts in `guard_texts`.

Both files were written for this, in many languages and styles: orders of every kind, plain facts, and harmless
sentences that look like orders. What is learned weighs each number of a vector and each pair of them (kernel ridge
regression with a square kernel, written out): orders and look-alikes lie so near each other that no plane parts them.
The line is drawn where it refuses few of the plain ones that it has not seen.
"""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.facts.normalization import sentence
from memory.lab import training_texts
from memoryhub.ai.embedding.embedder import Embedder
from memoryhub.safety.meant_instruction import unpacked

TEXTS = Path(__file__).parent / "guard_texts"
RIDGE = 4.0  # how strongly weights are held small; less sees as many orders and refuses more everyday facts
PAIRS = 2.5  # how much pairs weigh beside single numbers; of 1 to 4, the least that sees most of what was held back
REFUSED = 0.04  # of the plain texts that were held back, many of which look like orders
ALIKE = 15  # texts that stand together are alike, often the same in other words, and are held back together

Vectors = NDArray[np.float64]


def texts() -> tuple[list[str], list[str]]:
    """Return the attacks and the plain texts, each with an end as facts have."""
    attacks, plain = ([*map(sentence, training_texts.lines_of(TEXTS / name))] for name in ("attacks.txt", "plain.txt"))
    return attacks, plain


def fingerprint() -> str:
    """Return what tells whether the texts are those that the weights were learned from."""
    return training_texts.fingerprint(*texts())


def vectors_of_texts(model: Embedder) -> Vectors:
    """Return the vectors of all texts, attacks first; takes a minute."""
    attacks, plain = texts()
    return model.passages([*attacks, *plain]).astype(np.float64)


def train(vectors: Vectors, *, embedder: str) -> dict[str, Any]:
    """Return what `meant_instruction.json` holds (a text that scores above 0 is an order), from all texts' vectors."""
    attacks, plain = texts()
    orders = np.arange(len(vectors)) < len(attacks)
    scores, fold = np.zeros(len(vectors)), training_texts.folds(len(attacks), len(plain), alike=ALIKE)
    for held in range(training_texts.FOLDS):
        scores[fold == held] = score(vectors[fold == held], *fit(vectors[fold != held], orders[fold != held]))
    line = float(np.quantile(scores[~orders], 1 - REFUSED))
    pairs, weights, bias = fit(vectors, orders)
    step = round(float(np.abs(pairs).max()) / 127 + 5e-7, 6)
    return {
        "embedder": embedder,
        "texts": fingerprint(),
        "seen": round(float((scores[orders] > line).mean()), 3),  # of the attacks that were held back
        "bias": round(bias - line, 4),
        "weights": [round(float(weight), 4) for weight in weights],
        "step": step,
        "pairs": b64encode(np.round(pairs[np.triu_indices(len(pairs))] / step).astype(np.int8).tobytes()).decode(),
    }


def apart(vectors: Vectors, learned: dict[str, Any], kept: dict[str, Any]) -> float:
    """Return how far two files of weights lie apart in how they score these vectors, as a part of the scores' size."""
    found = []
    for pairs, weights, bias in map(unpacked, (learned, kept)):
        found.append(score(vectors, pairs.astype(np.float64), weights.astype(np.float64), bias))
    scores, others = found
    return float(np.linalg.norm(scores - others) / np.linalg.norm(others))


def fit(vectors: Vectors, orders: NDArray[np.bool_]) -> tuple[Vectors, Vectors, float]:
    """Return the weights of pairs (a symmetric matrix), of single numbers, and the bias; both kinds weigh the same."""
    mean, spread = vectors.mean(0), vectors.std(0) * vectors.shape[1] ** 0.5
    rows = (vectors - mean) / spread
    weigh = np.where(orders, (~orders).sum() / orders.sum(), 1.0)
    alike = (1 + PAIRS * rows @ rows.T) ** 2
    shares = np.linalg.solve(alike + np.diag(RIDGE / weigh), np.where(orders, 1.0, -1.0))
    # The square, multiplied out: of pairs, of single numbers, and the rest; then without mean and spread.
    pairs = PAIRS**2 * (rows * shares[:, None]).T @ rows / np.outer(spread, spread)
    single = 2 * PAIRS * shares @ rows / spread
    weights = single - 2 * pairs @ mean
    return pairs, weights, float(shares.sum() - single @ mean + mean @ pairs @ mean)


def score(vectors: Vectors, pairs: Vectors, weights: Vectors, bias: float) -> Vectors:
    """Return how much each of the texts of these vectors is an order; below 0: rather not."""
    found: Vectors = ((vectors @ pairs) * vectors).sum(1) + vectors @ weights + bias
    return found
