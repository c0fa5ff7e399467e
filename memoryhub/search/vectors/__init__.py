"""The vector index: keeps embeddings by kind and model, and finds the nearest in a scope; `reindex` rebuilds it."""

from memoryhub.db import backend
from memoryhub.search.scope import Match, Scope
from memoryhub.search.vectors.stored_sets import count, sets
from memoryhub.search.vectors.vector_types import Index, Sought, Vector, VectorRow, table_of

__all__ = [
    "Match",
    "Scope",
    "Sought",
    "Vector",
    "VectorRow",
    "clear",
    "codes_put_aside",
    "count",
    "delete",
    "get",
    "held",
    "lacking",
    "move",
    "prepare",
    "put",
    "rebuild",
    "search",
    "search_all",
    "sets",
    "stored",
    "table_of",
    "tend",
]  # fmt: skip
_index: Index = backend.half(
    sqlite="memoryhub.search.vectors.sqlite_index", postgres="memoryhub.search.vectors.halfvec_index"
)
prepare, put, delete, move = _index.prepare, _index.put, _index.delete, _index.move
search, search_all = _index.search, _index.search_all
get, held, lacking, stored = _index.get, _index.held, _index.lacking, _index.stored
tend, rebuild, clear, codes_put_aside = _index.tend, _index.rebuild, _index.clear, _index.codes_put_aside
