"""Searches FTS5's tables: by its own BM25 where few rows have the words, else it finds rows and Python ranks them.

FTS5's bm25() counts every row of each word at each question, of all guilds; a count that is high is kept here instead.
"""

from __future__ import annotations

# ruff: noqa: S608  (the tables' names are constants of the house; every value is a parameter)
import json
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from heapq import nlargest
from typing import Any

from django.db import connection

from memoryhub import db
from memoryhub.search.keywords import bm25, terms
from memoryhub.search.keywords.bm25 import IN_BEFORE, IN_TEXT, SCOPE_WORDS, Counts, Text
from memoryhub.search.keywords.kept_counts import KeptCounts
from memoryhub.search.keywords.keyword_types import Counted, known
from memoryhub.search.scope import Match, Scope

# How much a word counts in the text itself and in the message before it.
WEIGHTS = "0, 1, 0.4"

# Audiences times subjects of a question that are looked for as pairs; beyond it the two are looked for apart.
MOST_PAIRS = 64

# Parts of one statement; SQLite joins no more than 500.
MOST_AT_ONCE = 50

_BEST = "SELECT rowid, -bm25({table}, " + WEIGHTS + ") AS score FROM {table} WHERE {table} MATCH %s"
# The last bits of a score depend on the order in which its parts are added: they must not settle who is first.
_ORDER = "ORDER BY round(score, 9) DESC, rowid LIMIT %s"
_BEST_OF_MEMBERS = f"{_BEST} {_ORDER}"
# BM25 counts the rows of each part of its expression, also of the scope, which weighs nothing: of a whole guild that
# takes longer than all the rest. So its rows are found first; the plus keeps SQLite from asking for them one by one.
_BEST_OF_GUILD = f"{_BEST} AND +rowid IN (SELECT rowid FROM {{table}} WHERE {{table}} MATCH %s) {_ORDER}"
_AVERAGES = "SELECT '{kind}', NULL, block FROM {table}_data WHERE id = 1"
_HAVING = """SELECT '{kind}', word.key, (SELECT count(*) FROM {table} WHERE {table} MATCH word.value)
    FROM json_each(%s) AS word"""
_NEWEST = "SELECT * FROM (SELECT %s, rowid FROM {table} WHERE {table} MATCH %s ORDER BY rowid DESC LIMIT %s)"


class Written(threading.local):
    """Whether this thread has written words, which FTS5 notes down at the transaction's end or at a savepoint."""

    here = False


written = Written()
kept_counts = KeptCounts[int]()


def table_of(kind: str) -> str:
    """Return the name of the table of a kind; ValueError for one that is not indexed."""
    return f"memoryhub_words_v1_{known(kind)}"


def search(
    *, kind: str, query: str, scope: Scope, limit: int, counted: Counted | None = None
) -> list[Match]:  # fmt: skip
    """Return the `limit` rows of the scope that share the most telling words with the query, best first.

    The score is BM25's, above 0; it compares rows of one search only. Any text is safe; without words it finds nothing.
    """
    return _search(kind, [query], scope, limit, counted or Counted())[0]


def search_each(*, kind: str, queries: Sequence[str], scope: Scope, limit: int) -> list[list[Match]]:
    """Return what `search` finds for each of the queries, in few statements for many of them."""
    return _search(kind, queries, scope, limit, Counted())


def _search(kind: str, queries: Sequence[str], scope: Scope, limit: int, counted: Counted) -> list[list[Match]]:
    table, inside = table_of(kind), _inside(scope)
    asked = [terms.longest(words) if len(words) > terms.MOST_WORDS else words for words in map(terms.sought, queries)]
    found: list[list[Match]] = [[] for _ in queries]
    words = {terms.term(word): word for each in asked for word in each}
    if not inside or not words or not (counts := _counts(kind, words, counted)).texts:
        return found
    asked = [_telling(each, counts) for each in asked]
    if scope.subjects is not None and (few := _few(table, inside, asked)) is not None:
        return [_best(few, each, counts, limit) for each in asked]
    by_hand = [place for place, each in enumerate(asked) if len(each) > terms.MOST_WORDS or _common(each, counts)]
    by_fts5 = {place: each for place, each in enumerate(asked) if each and place not in by_hand}
    for place in by_hand:
        rows = _newest_with(table, inside, asked[place])
        if _common(list(rows), counts):
            found[place] = _best_of_guild(table, rows, counts, limit)
        elif rows:
            by_fts5[place] = list(rows)
    questions = [(place, *_question(table, inside, each, scope)) for place, each in by_fts5.items()]
    for place, *match in _together([(sql, (place, *params, limit)) for place, sql, params in questions]):
        found[place].append(Match(*match))
    return found


def _question(table: str, inside: str, words: Sequence[str], scope: Scope) -> tuple[str, list[object]]:
    """Return the statement that has FTS5 rank the rows, and its parameters but for the limit."""
    any_word = _any_word(words)
    if scope.subjects is not None:
        return f"SELECT %s, * FROM ({_BEST_OF_MEMBERS.format(table=table)})", [f"{inside} AND {any_word}"]
    return f"SELECT %s, * FROM ({_BEST_OF_GUILD.format(table=table)})", [any_word, f"{inside} AND {any_word}"]


def _telling(words: Sequence[str], counts: Counts) -> list[str]:
    some = frozenset(counts.telling(list(map(terms.term, words))))
    return [word for word in words if terms.term(word) in some]


def _common(words: list[str], counts: Counts) -> bool:
    """Say whether so many rows have the words that FTS5 would take long."""
    return sum(counts.having[terms.term(word)] for word in words) > bm25.MOST_READ


def _together(parts: Sequence[tuple[str, Sequence[object]]]) -> Iterable[tuple[Any, ...]]:
    """Run statements with their parameters, many at once."""
    for start in range(0, len(parts), MOST_AT_ONCE):
        some = parts[start : start + MOST_AT_ONCE]
        params = [param for _, its_params in some for param in its_params]
        yield from db.select_if_table(" UNION ALL ".join(sql for sql, _ in some), params)


def _counts(kind: str, words: dict[int, str], counted: Counted) -> Counts:
    """Return how many texts there are and how many have each word."""
    if kind not in counted.counts:
        lacking = {kind, *counted.kinds} - counted.counts.keys()
        # Where another kind has no table yet, only its own.
        counted.counts.update(_count(sorted(lacking), words) or _count([kind], words))
    counts: Counts = counted.counts.get(kind, Counts(0, 0, {}))
    return counts


def _count(kinds: Sequence[str], words: dict[int, str]) -> dict[str, Counts]:
    """Count in each of the kinds, by one statement; nothing where one has no table yet."""
    new = {kind: kept_counts.lacking(kind, words) for kind in kinds}
    parts = [_AVERAGES.format(kind=kind, table=table_of(kind)) for kind in kinds]
    parts += [_HAVING.format(kind=kind, table=table_of(kind)) for kind in kinds if new[kind]]
    asked = [_each_word(new[kind], words) for kind in kinds if new[kind]]
    with db.atomic() if written.here and connection.in_atomic_block else nullcontext():
        written.here = False
        rows = db.select_if_table(" UNION ALL ".join(parts), asked)
    counts = {}
    for kind in kinds if rows else ():
        texts, total = _numbers(b"".join(value for its, place, value in rows if its == kind and place is None))
        found = {new[kind][place]: value for its, place, value in rows if its == kind and place is not None}
        kept = kept_counts.still(kind, words, texts=texts)
        if drifted := [term for term in words if term not in kept and term not in found]:
            again = db.select(_HAVING.format(kind=kind, table=table_of(kind)), [_each_word(drifted, words)])
            found |= {drifted[place]: count for _, place, count in again}
        kept_counts.keep(kind, {term: count for term, count in found.items() if count}, texts=texts)
        counts[kind] = Counts(texts, total / max(1, texts), kept | found)
    return counts


def _each_word(asked: Iterable[int], words: dict[int, str]) -> str:
    """Return the parameter that names words to be counted one by one."""
    return json.dumps([_any_word([words[term]]) for term in asked])


def _numbers(block: bytes) -> tuple[int, int]:
    """Return how many texts there are, and how many words in all of them, from FTS5's own notes."""
    numbers, number = [], 0
    for byte in block:  # seven bits a byte, the last byte of a number without the eighth
        number = number << 7 | byte & 127
        if byte < 128:
            numbers.append(number)
            number = 0
    return (numbers[0], sum(numbers[1:])) if numbers else (0, 0)


def _few(table: str, inside: str, asked: Sequence[Sequence[str]]) -> list[tuple[Any, ...]] | None:
    """Return the texts of the scope with any of the words, by id, if they are few."""
    words = dict.fromkeys(word for each in asked for word in each)
    # Many words take longer to look for than a few texts to read.
    wanted = f"{inside} AND {_any_word(words)}" if len(words) <= terms.MOST_COUNTED else inside
    sql = f"SELECT rowid, text, before FROM {table} WHERE {table} MATCH %s LIMIT {bm25.FEW_TEXTS}"
    rows = db.select(sql, [wanted])
    return rows if len(rows) < bm25.FEW_TEXTS else None


def _newest_with(table: str, inside: str, words: list[str]) -> dict[str, list[int]]:
    """Return the newest rows with each of the words, without words that no row of the scope has; the rarest of many."""
    most = max(terms.COUNTED_TO, bm25.MOST_READ // len(words))
    sql, rows = _NEWEST.format(table=table), dict[str, list[int]]()
    for place, each in _together(
        [(sql, (place, f"{inside} AND {_any_word([word])}", most)) for place, word in enumerate(words)]
    ):
        rows.setdefault(words[place], []).append(each)
    return dict(sorted(rows.items(), key=lambda item: len(item[1]))[: terms.MOST_WORDS])


def _best_of_guild(table: str, rows: dict[str, list[int]], counts: Counts, limit: int) -> list[Match]:
    """Rank rows that have some of the words; the most promising are read."""
    promise: dict[int, float] = defaultdict(float)
    for word, ids in rows.items():
        weight = counts.weight(terms.term(word))
        for each in ids:
            promise[each] += weight
    near = nlargest(bm25.BEST_FOUND * limit, promise, key=lambda each: (promise[each], -each))
    sql = f"SELECT rowid, text, before FROM {table} WHERE rowid IN (SELECT value FROM json_each(%s))"
    return _best(db.select(sql, [db.id_list(near)]), list(rows), counts, limit)


def _best(rows: Iterable[tuple[Any, ...]], words: list[str], counts: Counts, limit: int) -> list[Match]:
    """Rank rows of the scope by their own words."""
    asked, starts = list(map(terms.term, words)), terms.starts_of(words)
    wanted, texts = frozenset(asked), dict[int, Text]()
    for each, text, before in rows:
        having, length = terms.found_in(text, wanted, starts)
        found = dict.fromkeys(having, 0)
        for term in having:
            found[term] += IN_TEXT
        if before:
            having, more = terms.found_in(before, wanted, starts)
            length += more
            for term in having:
                found[term] = found.get(term, 0) + IN_BEFORE
        texts[each] = (length + SCOPE_WORDS, found)
    if len(asked) > terms.MOST_WORDS:
        asked = bm25.rarest(asked, bm25.counted_in(texts.values()))
    return counts.best(asked, texts, limit)


def _any_word(words: Iterable[str]) -> str:
    quoted = (f'"{word[:-1]}" *' if word.endswith("*") else f'"{word}"' for word in words)
    return f"{{text before}} : ({' OR '.join(quoted)})"


def _inside(scope: Scope) -> str:
    """Return the scope as a part of the match expression; empty when it allows nothing."""
    audiences = [f"g{scope.guild:d}a{each:d}" for each in scope.audiences]
    if scope.subjects is None:
        return _any_of(audiences)
    if len(audiences) * len(scope.subjects) <= MOST_PAIRS:
        return _any_of(f"{audience}s{each:d}" for audience in audiences for each in scope.subjects)
    subjects = _any_of(f"g{scope.guild:d}s{each:d}" for each in scope.subjects)
    return f"{_any_of(audiences)} AND {subjects}" if audiences and subjects else ""


def _any_of(tokens: Iterable[str]) -> str:
    alternatives = " OR ".join(tokens)
    return f"scope : ({alternatives})" if alternatives else ""
