"""The vector index: keeps embeddings by kind and model, and finds the nearest in a scope; `reindex` rebuilds it."""

from memoryhub.scope import Match, Scope
from memoryhub.vectors.base import Row, Vector, VectorIndex
from memoryhub.vectors.front import clear, codes_put_aside, delete, get, held, lacking, move, put, rebuild, search
from memoryhub.vectors.upgrading import upgrade

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
    "upgrade",
]
