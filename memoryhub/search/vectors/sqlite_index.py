"""The vector index on SQLite: writes go to the store and its codes together, searches to the index that suits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter

from memoryhub import db
from memoryhub.search.scope import Match, Scope
from memoryhub.search.vectors import memory_cache, quantized, store, vec0
from memoryhub.search.vectors.kept_rows import KeptEmbeddings
from memoryhub.search.vectors.quantized import Codes
from memoryhub.search.vectors.vector_types import Sought, Vector, VectorRow, best_of, unit

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
    asked = Sought(kind, scope, limit, also)
    return search_all([asked], model=model, embedding=embedding)[0]


def search_all(asked: Sequence[Sought], *, model: str, embedding: Vector) -> list[list[Match]]:
    """Return what `search` finds for each of those asked; what must be compared exactly is read by one statement."""
    found: list[list[Match]] = [[] for _ in asked]
    parts: dict[int, store.Part] = {}
    all_kept = memory_cache.find_all(model=model, asked=[(each.kind, each.scope) for each in asked])
    for place, (each, kept) in enumerate(zip(asked, all_kept, strict=True)):
        kind, scope, limit, also = each
        if isinstance(kept, KeptEmbeddings):
            found[place] = kept.search(embedding=embedding, scope=scope, limit=limit, also=also)
        elif kept is not None:
            parts[place] = kept.near(embedding=embedding, scope=scope, limit=limit, also=also)
        # One member's embeddings are read faster than a guild's codes; so are those of a guild too small for codes.
        elif scope.subjects is None and (codes := _codes(kind, model, scope)):
            found[place] = vec0.search_coded(codes, embedding=embedding, scope=scope, limit=limit, also=also)
        else:
            parts[place] = store.within(kind=kind, model=model, scope=scope)
    places, query = list(parts), unit(embedding)
    for number, blocks in groupby(store.blocks_of_all(list(parts.values())), itemgetter(0)):
        each = asked[places[number]]
        found[places[number]] = best_of((block for _, block in blocks), query, each.limit, each.also)
    return found


def _codes(kind: str, model: str, scope: Scope) -> Codes | None:
    return quantized.find(kind=kind, model=model, guild=scope.guild) if db.can_load_vectors() else None


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
