"""Group notes by how alike they are: average linkage with a distance cut."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from notes.writing.key_sentences import terms, vectors

Matrix = NDArray[np.float64]

# Cosine distances, measured on notes of mixed talks with the embedded embedder: nine in ten neighbours are right.
VECTOR_CUT = 0.97
WORD_CUT = 0.92


def groups(distances: Matrix, *, cut: float, least: int, most: int) -> list[list[int]]:
    """Return the rows of a distance matrix in `least` to `most` groups, largest first, joined while nearer than `cut`.

    Average linkage: the distance of two groups is the mean over their pairs. Ties go to the earlier rows.
    """
    rest = distances.astype(np.float64).copy()
    np.fill_diagonal(rest, np.inf)
    found: dict[int, list[int]] = {row: [row] for row in range(len(rest))}
    while len(found) > least:
        one, other = sorted(divmod(int(np.argmin(rest)), len(rest)))
        if rest[one, other] > cut and len(found) <= most:
            break
        here, there = len(found[one]), len(found[other])
        rest[one] = rest[:, one] = (rest[one] * here + rest[other] * there) / (here + there)
        rest[other] = rest[:, other] = rest[one, one] = np.inf
        found[one] += found.pop(other)
    return sorted((sorted(rows) for rows in found.values()), key=lambda rows: (-len(rows), rows[0]))


def vector_distances(rows: Sequence[Sequence[float]]) -> Matrix:
    """Return cosine distances (0..2) between embeddings, after the mean of them all is taken away."""
    matrix = np.asarray(rows, dtype=np.float64)
    return _cosine_distances(matrix - matrix.mean(axis=0))


def word_distances(texts: Sequence[str]) -> Matrix:
    """Return cosine distances (0..1) between texts by the words that they share."""
    weights = vectors([terms(text) for text in texts])
    columns = {term: at for at, term in enumerate(sorted({term for vector in weights for term in vector}))}
    matrix = np.zeros((len(texts), max(1, len(columns))))
    for row, vector in enumerate(weights):
        for term, value in vector.items():
            matrix[row, columns[term]] = value
    return _cosine_distances(matrix)


def _cosine_distances(matrix: Matrix) -> Matrix:
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit = matrix / np.where(lengths == 0, 1, lengths)
    return 1 - unit @ unit.T
