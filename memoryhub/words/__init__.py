"""The word index: finds facts, notes and messages by their words in a scope; `reindex` rebuilds it."""

from memoryhub.scope import Match, Scope
from memoryhub.words.fts5 import Row, clear, delete, held, put, search

__all__ = ["Match", "Row", "Scope", "clear", "delete", "held", "put", "search"]
