"""The vector index: keeps embeddings by kind and model, and finds the nearest in a scope; `reindex` rebuilds it."""

from memoryhub.search.scope import Match, Scope
from memoryhub.search.vectors.router import (
    clear,
    codes_put_aside,
    delete,
    get,
    held,
    lacking,
    move,
    put,
    rebuild,
    search,
)
from memoryhub.search.vectors.vector_types import Row, Vector, VectorIndex

__all__ = [
    "Match",
    "Row",
    "Scope",
    "Vector",
    "VectorIndex",
    "clear",
    "codes_put_aside",
    "delete",
    "get",
    "held",
    "lacking",
    "move",
    "put",
    "rebuild",
    "search",
]
