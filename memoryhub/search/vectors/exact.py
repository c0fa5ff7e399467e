"""Exact search: every embedding of the scope against the question, in one product. The oracle of the other indexes."""

from __future__ import annotations

from collections.abc import Collection

from memoryhub.search.scope import Match, Scope
from memoryhub.search.vectors import store
from memoryhub.search.vectors.vector_types import Vector, best_of, unit


def search(
    *, kind: str, model: str, embedding: Vector, scope: Scope, limit: int, also: Collection[int] = ()
) -> list[Match]:
    """Return the `limit` nearest of the scope, best first, and those `also` asked for."""
    return best_of(store.blocks(store.within(kind=kind, model=model, scope=scope)), unit(embedding), limit, also)
