"""The shapes of the vector index: what goes in, and how the best are picked out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memoryhub.search.scope import Match

Vector = NDArray[np.float32]

Block = tuple[list[int], Vector]
"""Some ids and, in the same order, their embeddings (n x dimensions, each of length 1)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Row:
    """One thing's embedding and where it may be found (subject 0: about no member; audience 0: the whole guild)."""

    id: int
    guild: int
    subject: int = 0
    audience: int = 0
    embedding: Vector


def unit(embedding: Vector) -> Vector:
    """Return the embedding as float32 of length 1; ValueError when it has no direction (zeros, NaN, infinite)."""
    vector = np.asarray(embedding, dtype=np.float32).ravel()
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not np.isfinite(length) or length == 0.0:
        raise ValueError("an embedding must be finite and not all zeros")
    return (vector / np.float32(length)).astype(np.float32)


def best_of(blocks: Iterable[Block], query: Vector, limit: int, also: Collection[int] = ()) -> list[Match]:
    """Return the `limit` embeddings nearest to `query`, and those `also` asked for; ties by id."""
    scored = [(ids, embeddings @ query) for ids, embeddings in blocks]
    if not scored:
        return []
    ids = np.fromiter((each for ids, _ in scored for each in ids), np.int64)
    return best(ids, np.concatenate([scores for _, scores in scored]), limit, also)


def best(ids: NDArray[np.int64], scores: Vector, limit: int, also: Collection[int] = ()) -> list[Match]:
    """Return the `limit` ids with the highest scores, best first, then those `also` asked for; ties by id."""
    # Rounded, since the last bits of a product depend on how many rows are multiplied at once.
    rounded = np.round(scores.astype(np.float64), 6)
    if limit < len(ids):
        enough = rounded >= np.partition(rounded, -limit)[-limit]
        if also:
            enough |= np.isin(ids, list(also))
        ids, rounded = ids[enough], rounded[enough]
    order = np.lexsort((ids, -rounded))
    found = [Match(*each) for each in zip(ids[order].tolist(), rounded[order].tolist(), strict=True)]
    return [*found[:limit], *(each for each in found[limit:] if each.id in also)]
