"""The word index: finds facts, notes and messages by their words in a scope; `reindex` rebuilds it."""

from memoryhub.db import backend
from memoryhub.search.keywords.keyword_types import Asked, Counted, Index, TextRow
from memoryhub.search.scope import Match, Scope

__all__ = [
    "Asked", "Counted", "Match", "Scope", "TextRow", "add", "clear", "delete", "held", "prepare", "put", "rewrite",
    "search", "search_all",
]  # fmt: skip
_index: Index = backend.half(
    sqlite="memoryhub.search.keywords.fts5", postgres="memoryhub.search.keywords.postings"
)  # fmt: skip
prepare, add, put, delete, held, rewrite, clear, search, search_all = (
    _index.prepare, _index.add, _index.put, _index.delete, _index.held, _index.rewrite, _index.clear, _index.search,
    _index.search_all,
)  # fmt: skip
