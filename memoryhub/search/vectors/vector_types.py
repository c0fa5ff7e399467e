"""The shapes of the vector index: what goes in, what each database's half can do, and how the best are picked out."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from memoryhub.search.scope import Match, Scope

Vector = NDArray[np.float32]

# One row for each set. The version is part of the names: another shape is other tables, filled by `reindex`.
SETS = "memoryhub_vectors_v2"
SORTED_WHOLE = 500  # scores; of more, those that are not among the best are left out first

Block = tuple[list[int], Vector]
"""Some ids and, in the same order, their embeddings (n x dimensions, each of length 1)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorRow:
    """One thing's embedding and where it may be found (subject 0: about no member; audience 0: the whole guild)."""

    id: int
    guild: int
    subject: int = 0
    audience: int = 0
    embedding: Vector


class Sought(NamedTuple):
    """One search: how many of a kind's nearest are wanted, and where; `also` are found in another way."""

    kind: str
    scope: Scope
    limit: int
    also: Collection[int] = ()


class Index(Protocol):
    """What the facade asks of a half: a module with these functions."""

    def prepare(self, **_signal: object) -> None:
        """Make what every set needs, where that is not made at need."""

    def put(self, *, kind: str, model: str, rows: Sequence[VectorRow]) -> None:
        """Keep the rows' embeddings; what was held for the same kind, model, guild and id is replaced.

        `model` names the embedder and its dimensions: another identity is another set. ValueError for an embedding
        without direction (zeros, NaN, infinite); nothing of the call is kept then.
        """

    def delete(self, *, kind: str, ids: Iterable[int], guild: int | None = None) -> None:
        """Forget the ids of a kind, in every model's set; without a guild, wherever they are."""

    def move(self, *, kind: str, ids: Iterable[int], audience: int, guild: int | None = None) -> None:
        """Give the ids of a kind another audience."""

    def search(
        self, *, kind: str, model: str, embedding: Vector, scope: Scope, limit: int, also: Collection[int] = ()
    ) -> list[Match]:
        """Return the `limit` nearest of the scope by cosine similarity (-1 to 1), best first.

        After them come those `also` asked for that are farther: ids of the scope, which were found in another way.
        """

    def search_all(self, asked: Sequence[Sought], *, model: str, embedding: Vector) -> list[list[Match]]:
        """Return what `search` finds for each of those asked."""

    def get(self, *, kind: str, model: str, ids: Iterable[int], guild: int | None = None) -> dict[int, Vector]:
        """Return the embeddings (length 1) of the ids that have one."""

    def held(self, *, kind: str, model: str) -> set[int]:
        """Return the ids that have an embedding of this model."""

    def lacking(self, wanted: str, params: Sequence[object], *, kind: str, model: str) -> list[int]:
        """Return, in order, the ids of the pairs (guild, id) that a query yields without an embedding of this model."""

    def stored(self, *, kind: str, model: str, size: int, after: tuple[int, int] = (0, 0)) -> Iterator[list[VectorRow]]:
        """Yield all rows of a set, `size` at once; `after` is the guild and the id of the last one that is known."""

    def tend(self, *, kind: str, model: str) -> None:
        """Make what a set needs once it is big: for the background, outside a transaction."""

    def rebuild(self, *, kind: str, model: str) -> None:
        """Make what is derived from a set's embeddings anew (`reindex` does it after it has put what was missing)."""

    def clear(self) -> None:
        """Forget everything."""

    def codes_put_aside(self, wanted: bool = True) -> AbstractContextManager[None]:  # noqa: FBT001, FBT002
        """Do without what a rewriting of the database's file would break, and make it anew after it."""


def table_of(kind: str, model: str, prefix: str = SETS) -> str:
    """Return the name of the table that holds a set, or its codes."""
    return f"{prefix}_{hashlib.sha256(f'{kind} {model}'.encode()).hexdigest()[:16]}"


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
    if limit < len(ids) > SORTED_WHOLE:
        enough = rounded >= np.partition(rounded, -limit)[-limit]
        if also:
            enough |= np.isin(ids, list(also))
        ids, rounded = ids[enough], rounded[enough]
    order = np.lexsort((ids, -rounded))
    found = list(zip(ids[order].tolist(), rounded[order].tolist(), strict=True))
    return list(map(Match._make, [*found[:limit], *(each for each in found[limit:] if each[0] in also)]))
