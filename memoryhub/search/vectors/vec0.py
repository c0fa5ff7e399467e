"""Search of a whole guild: the nearest codes by sqlite-vec, then exact scores for those."""

# ruff: noqa: S608  (the tables' names are constants of the house; every value is a parameter)

from __future__ import annotations

from collections.abc import Collection, Sequence

from memoryhub import db
from memoryhub.search.scope import Match, Scope
from memoryhub.search.vectors import distance_bound, quantized, store
from memoryhub.search.vectors.quantized import Codes
from memoryhub.search.vectors.vector_types import Vector, best_of, unit

# sqlite-vec refuses to look for more neighbours than this.
MOST_CODES = 4096


def search(
    *, kind: str, model: str, embedding: Vector, scope: Scope, limit: int, also: Collection[int] = ()
) -> list[Match]:
    """Return about the `limit` nearest of the scope, best first, by exact scores, and those `also` asked for.

    Nothing without codes.
    """
    coded = quantized.find(kind=kind, model=model, guild=scope.guild)
    return [] if coded is None else search_coded(coded, embedding=embedding, scope=scope, limit=limit, also=also)


def search_coded(
    coded: Codes, *, embedding: Vector, scope: Scope, limit: int, also: Collection[int] = ()
) -> list[Match]:
    """Do the same with the guild's codes at hand."""
    if not scope.audiences:
        return []
    query, count = unit(embedding), min(quantized.compared(limit), MOST_CODES)
    # sqlite-vec takes one pass over each chunk of codes for every neighbour that it may hold. Told how far to look, it
    # takes a tenth of them; if that was not far enough it is asked again without.
    within = distance_bound.guess(coded, query, scope, count)
    near = [] if within is None else _nearest(coded, query, scope, count, within)
    if len(near) < count:
        near = _nearest(coded, query, scope, count, None)
    ids = {*near, *also}
    near_and_also = store.among(ids, kind=coded.kind, model=coded.model, scope=scope)
    return best_of(store.blocks(near_and_also), query, limit, also)


def _nearest(coded: Codes, query: Vector, scope: Scope, count: int, within: int | None) -> list[int]:
    """Return the objects of the nearest codes, no farther than `within` bits."""
    # The scope is part of the neighbour search: sqlite-vec keeps to joined conditions, and would apply an OR too late.
    conditions, params = ["guild = %s", f"audience IN ({_marks(scope.audiences)})"], [scope.guild, *scope.audiences]
    if scope.subjects is not None:
        conditions.append(f"subject IN ({_marks(scope.subjects)})")
        params += scope.subjects
    if within is not None:
        conditions.append("distance <= %s")
        params.append(within)
    sql = f"SELECT object_id FROM {coded.table} WHERE code MATCH vec_bit(%s) AND k = %s AND {' AND '.join(conditions)}"
    return [each for (each,) in db.select(sql, [coded.of(query), count, *params])]


def _marks(values: Sequence[int]) -> str:
    return ", ".join(["%s"] * len(values))
