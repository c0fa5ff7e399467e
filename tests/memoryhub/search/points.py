"""Small embeddings and where they may be found: the cast of the vector index's tests."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from memoryhub.search import vectors
from memoryhub.search.scope import Scope
from memoryhub.search.vectors.vector_types import VectorRow

SIZE = 16
NORTH, SOUTH = 1, 2
EVERYBODY, SECRET_ROOM = 0, 7
ALICE, BOB = 11, 12


def towards(*parts: float) -> np.ndarray:
    """An embedding with these first numbers, and a small last one so that it always has a direction."""
    vector = np.zeros(SIZE, dtype=np.float32)
    vector[: len(parts)] = parts
    vector[-1] = 0.01
    return vector


def row(number: int, *parts: float, guild: int = NORTH, subject: int = ALICE, audience: int = EVERYBODY) -> VectorRow:
    return VectorRow(id=number, guild=guild, subject=subject, audience=audience, embedding=towards(*parts))


def put(*rows: VectorRow, kind: str = "fact", model: str = "tiny-16") -> None:
    vectors.put(kind=kind, model=model, rows=rows)


def ids(
    index: Any,
    embedding: np.ndarray,
    *,
    guild: int = NORTH,
    audiences: Sequence[int] = (EVERYBODY,),
    subjects: Sequence[int] | None = None,
    limit: int = 10,
    kind: str = "fact",
    model: str = "tiny-16",
) -> list[int]:
    scope = Scope(guild=guild, audiences=audiences, subjects=subjects)
    found = index.search(kind=kind, model=model, embedding=embedding, scope=scope, limit=limit)
    return [match.id for match in found]


def scattered(count: int, *, seed: int = 1, **place: int) -> list[VectorRow]:
    drawn = np.random.default_rng(seed).standard_normal((count, SIZE), dtype=np.float32)
    return [VectorRow(id=number, guild=NORTH, embedding=vector, **place) for number, vector in enumerate(drawn, 1)]
