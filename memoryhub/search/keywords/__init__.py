"""The word index: finds facts, notes and messages by their words in a scope; `reindex` rebuilds it."""

from memoryhub.search.keywords.fts5 import Row, clear, delete, held, put, search
from memoryhub.search.scope import Match, Scope

__all__ = ["Match", "Row", "Scope", "clear", "delete", "held", "put", "search"]
