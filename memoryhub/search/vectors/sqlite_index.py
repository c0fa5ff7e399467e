"""The vector index on SQLite: writes go to the store and its codes together, searches to the index that suits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from memoryhub import db
from memoryhub.search.scope import Match, Scope
from memoryhub.search.vectors import exact, memory_cache, quantized, store, vec0
from memoryhub.search.vectors.vector_types import Vector, VectorRow

held = store.held
lacking = store.lacking
stored = store.stored


def prepare(**_signal: object) -> None:
    """Do nothing: each table is made by the first row of its set."""


def get(*, kind: str, model: str, ids: Iterable[int], guild: int | None = None) -> dict[int, Vector]:
    """Return the embeddings (length 1) of the ids that have one."""
    del guild
    return store.get(kind=kind, model=model, ids=ids)


def put(*, kind: str, model: str, rows: Sequence[VectorRow]) -> None:
    """Keep the rows' embeddings; what was held for the same kind, model and id is replaced.

    `model` names the embedder and its dimensions: another identity is another set. ValueError for an embedding
    without direction (zeros, NaN, infinite); nothing of the call is kept then.
    """
    if not rows:
        return
    with db.atomic():
        store.put(kind=kind, model=model, rows=rows)
        quantized.put(kind=kind, model=model, rows=rows)


def delete(*, kind: str, ids: Iterable[int], guild: int | None = None) -> None:
    """Forget the ids of a kind, in every model's set."""
    del guild
    ids = list(ids)
    with db.atomic(savepoint=False):
        store.delete(kind=kind, ids=ids)
        quantized.delete(kind=kind, ids=ids)


def move(*, kind: str, ids: Iterable[int], audience: int, guild: int | None = None) -> None:
    """Give the ids of a kind another audience."""
    del guild
    ids = list(ids)
    with db.atomic():
        store.move(kind=kind, ids=ids, audience=audience)
        quantized.move(kind=kind, ids=ids, audience=audience)


def search(
    *, kind: str, model: str, embedding: Vector, scope: Scope, limit: int, also: Collection[int] = ()
) -> list[Match]:
    """Return the `limit` nearest of the scope by cosine similarity (-1 to 1), best first.

    After them come those `also` asked for that are farther: ids of the scope, which were found in another way.
    """
    kept = memory_cache.find(kind=kind, model=model, scope=scope)
    if kept is not None:
        return kept.search(embedding=embedding, scope=scope, limit=limit, also=also)
    # One member's embeddings are read faster than a guild's codes; so are those of a guild too small for codes.
    if scope.subjects is None and db.can_load_vectors():
        codes = quantized.find(kind=kind, model=model, guild=scope.guild)
        if codes is not None:
            return vec0.search_coded(codes, embedding=embedding, scope=scope, limit=limit, also=also)
    return exact.search(kind=kind, model=model, embedding=embedding, scope=scope, limit=limit, also=also)


def rebuild(*, kind: str, model: str) -> None:
    """Make what is derived from a set's embeddings anew (`reindex` does it after it has put what was missing)."""
    if db.can_load_vectors():
        with db.atomic():
            quantized.rebuild(kind=kind, model=model)


def tend(*, kind: str, model: str) -> None:
    """Do nothing: a guild is coded as it grows."""


def clear() -> None:
    """Forget everything."""
    with db.atomic():
        quantized.clear()
        store.clear()


@contextmanager
def codes_put_aside(wanted: bool = True) -> Iterator[None]:  # noqa: FBT001, FBT002
    """Do without codes while the database's file is rewritten, and make them anew after it.

    sqlite-vec finds its chunks by the numbers of rows, which VACUUM may change. Searches compare exactly meanwhile.
    """
    sets = quantized.sets() if wanted and db.can_load_vectors() else []
    if sets:
        quantized.clear()
    yield
    for kind, model in sets:
        rebuild(kind=kind, model=model)
