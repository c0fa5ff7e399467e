"""The shapes of the word index: what goes in, and what each database's half of it can do."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from memoryhub.search.scope import Match, Scope

KINDS = ("fact", "message", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRow:
    """One thing's text and where it may be found; `before` was said before it, and counts less.

    Of a message that is the one before, of a note all that it was written from.
    """

    id: int
    guild: int
    subject: int = 0
    audience: int = 0
    text: str
    before: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What was counted for one question, by place; who asks it in several places hands this to each search.

    The first search counts for all of these `kinds` at once.
    """

    kinds: Sequence[str] = ()
    counts: dict[Hashable, Any] = field(default_factory=dict)


class Asked(NamedTuple):
    """One search: how many of a kind's rows are wanted by a query's words, and where."""

    kind: str
    query: str
    scope: Scope
    limit: int


class Index(Protocol):
    """What the facade asks of a half: a module with these functions."""

    def prepare(self, **_signal: object) -> None:
        """Make what the index is kept in, where that is not made at need."""

    def add(self, *, kind: str, rows: Sequence[TextRow]) -> None:
        """Index rows that no index can hold yet, since they were stored just now; may go with other writes."""

    def put(self, *, kind: str, rows: Sequence[TextRow]) -> None:
        """Index the rows; what was held for an id of the guild is replaced."""

    def delete(self, *, kind: str, ids: Iterable[int], guild: int | None = None) -> None:
        """Take the ids out of the index; without a guild, wherever they are."""

    def held(self, *, kind: str) -> set[int]:
        """Return the ids that are indexed."""

    def rewrite(self) -> None:
        """Write anew what may still hold words of deleted rows."""

    def clear(self) -> None:
        """Forget everything."""

    def search(self, *, kind: str, query: str, scope: Scope, limit: int, counted: Counted | None = None) -> list[Match]:
        """Return the `limit` rows of the scope that share the most telling words with the query, best first.

        The score is BM25's, above 0; it compares rows of one search only. Any text is safe; without words it finds
        nothing.
        """

    def search_all(self, asked: Sequence[Asked], *, counted: Counted | None = None) -> list[list[Match]]:
        """Return what `search` finds for each of those asked."""


def known(kind: str) -> str:
    """Return the kind; ValueError for one that is not indexed."""
    if kind not in KINDS:
        raise ValueError(f"there is no word index of {kind!r}; there are {list(KINDS)}")
    return kind


def table_of(kind: str) -> str:
    """Return the name of the table of a kind's texts; ValueError for one that is not indexed."""
    return f"memoryhub_words_v1_{known(kind)}"
