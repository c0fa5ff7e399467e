"""Searches FTS5's tables: by its own BM25 where few rows have the words, else it finds rows and Python ranks them.

FTS5's bm25() counts every row of each word at each question, of all guilds; a count that is high is kept here instead.
"""

from __future__ import annotations

# ruff: noqa: S608  (the tables' names are constants of the house; every value is a parameter)
import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from heapq import nlargest
from typing import Any, NamedTuple

from django.db import connection

from memoryhub import db
from memoryhub.search.keywords import bm25, terms
from memoryhub.search.keywords.bm25 import IN_BEFORE, IN_TEXT, SCOPE_WORDS, Counts, Text
from memoryhub.search.keywords.kept_counts import KeptCounts
from memoryhub.search.keywords.keyword_types import Asked, Counted, table_of
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
_NEWEST = "SELECT rowid FROM {table} WHERE {table} MATCH %s ORDER BY rowid DESC LIMIT %s"


class Written(threading.local):
    """Whether this thread has written words, which FTS5 notes down at the transaction's end or at a savepoint."""

    here = False


written = Written()
kept_counts = KeptCounts[int]()


Rows = Sequence[tuple[Any, ...]]


class Part(NamedTuple):
    """A statement that is run together with others of as many columns, and its parameters."""

    sql: str
    params: Sequence[object]


class Question(NamedTuple):
    """A search as FTS5 is asked: the scope as a part of the expression, the words that tell, what was counted."""

    kind: str
    inside: str
    words: list[str]
    counts: Counts
    asked: Asked

    @property
    def table(self) -> str:
        """Return the name of the table."""
        return table_of(self.kind)

    @property
    def of_guild(self) -> bool:
        """Say whether it asks for what anybody said, not for what some members did."""
        return self.asked.scope.subjects is None


class Attempt(NamedTuple):
    """A cheap first look for a question's best rows; `read` returns None where what came back does not settle it."""

    part: Part
    read: Callable[[Rows], list[Match] | None]


def search(
    *, kind: str, query: str, scope: Scope, limit: int, counted: Counted | None = None
) -> list[Match]:  # fmt: skip
    """Return the `limit` rows of the scope that share the most telling words with the query, best first.

    The score is BM25's, above 0; it compares rows of one search only. Any text is safe; without words it finds nothing.
    """
    return search_all([Asked(kind, query, scope, limit)], counted=counted)[0]


def search_all(asked: Sequence[Asked], *, counted: Counted | None = None) -> list[list[Match]]:
    """Return what `search` finds for each of those asked, in few statements for many of them."""
    questions = _questions(asked, counted or Counted())
    found: dict[int, list[Match]] = {}
    attempts: dict[int, Attempt] = {}
    for place, question in questions.items():
        if question.of_guild and (best := _by_hand(question)) is not None:
            found[place] = best
        else:
            attempts[place] = _by_rarest_words(question) if question.of_guild else _by_reading(question)
    rows = _together({place: attempt.part for place, attempt in attempts.items()})
    again: dict[int, Part] = {}
    for place, attempt in attempts.items():
        if (best := attempt.read(rows[place])) is not None:
            found[place] = best
        else:
            again[place] = _best_by_fts5(questions[place], questions[place].words)
    found |= {place: _matches(ranked) for place, ranked in _together(again).items()}
    return [found.get(place, []) for place in range(len(asked))]


def _questions(asked: Sequence[Asked], counted: Counted) -> dict[int, Question]:
    """Return by its place each search that may find something."""
    words = [terms.sought(each.query) for each in asked]
    words = [terms.longest(each) if len(each) > terms.MOST_WORDS else each for each in words]
    by_term = {terms.term(word): word for each in words for word in each}
    questions = {}
    for place, (each, its_words) in enumerate(zip(asked, words, strict=True)):
        inside = _inside(each.scope)
        if inside and its_words and (counts := _counts(each.kind, by_term, counted)).texts:
            questions[place] = Question(each.kind, inside, _telling(its_words, counts), counts, each)
    return questions


def _by_reading(question: Question) -> Attempt:
    """Read the texts of some members, if they are few; else their best are looked for as those of a guild."""

    def read(rows: Rows) -> list[Match] | None:
        if len(rows) < bm25.FEW_TEXTS:
            return _best(rows, question.words, question.counts, question.asked.limit)
        return _by_hand(question)

    return Attempt(_few(question), read)


def _by_rarest_words(question: Question) -> Attempt:
    """Rank the rows of a guild with the words that are rare; enough of them may be ahead of all that have none."""
    finding, least = _finding(question)

    def read(rows: Rows) -> list[Match] | None:
        found = _matches(rows)
        enough = len(found) >= question.asked.limit and found[-1].score >= least
        return found if enough or not least else None

    return Attempt(_best_by_fts5(question, finding), read)


def _matches(rows: Rows) -> list[Match]:
    return [Match(pk, score) for pk, score, _ in rows]


def _by_hand(question: Question) -> list[Match] | None:
    """Return what is found where FTS5 would take long to rank it; None where it would not."""
    words, limit = question.words, question.asked.limit
    if len(words) <= terms.MOST_WORDS and not _common(words, question.counts):
        return None
    rows = _newest_with(question.table, question.inside, words)
    if rows and not _common(list(rows), question.counts):
        part = _best_by_fts5(question._replace(words=list(rows)), list(rows))
        return _matches(_together({0: part})[0])
    return _best_of_guild(question.table, rows, question.counts, limit) if rows else []


def _finding(question: Question) -> tuple[list[str], float]:
    """Return the words that find the best rows of a guild, and what the others weigh at most; 0 where all find."""
    words, counts = {terms.term(word): word for word in question.words}, question.counts
    if sum(counts.having[term] for term in words) <= bm25.FEW_ROWS:
        return question.words, 0.0
    place = (question.kind, question.inside)
    told = kept_counts.still(place, [0], texts=counts.texts)
    if not told:
        count = f"SELECT count(*) FROM {question.table} WHERE {question.table} MATCH %s"
        told = {0: db.select(count, [question.inside])[0][0]}
        kept_counts.keep(place, told, texts=counts.texts)
    rarest, least = counts.finding(list(words), question.asked.limit, share=told[0] / counts.texts)
    return [words[term] for term in rarest], least


def _best_by_fts5(question: Question, finding: Sequence[str]) -> Part:
    """Return the statement that has FTS5 rank the rows with words that find them."""
    table, inside, any_word = question.table, question.inside, _any_word(question.words)
    if question.of_guild:
        best, asked = _BEST_OF_GUILD, [any_word, f"{inside} AND {_any_word(finding)}"]
    else:
        best, asked = _BEST_OF_MEMBERS, [f"{inside} AND {any_word}"]
    return Part(f"SELECT *, NULL FROM ({best.format(table=table)})", [*asked, question.asked.limit])


def _telling(words: Sequence[str], counts: Counts) -> list[str]:
    some = frozenset(counts.telling(list(map(terms.term, words))))
    return [word for word in words if terms.term(word) in some]


def _common(words: list[str], counts: Counts) -> bool:
    """Say whether so many rows have the words that FTS5 would take long."""
    return sum(counts.having[terms.term(word)] for word in words) > bm25.MOST_READ


def _together(parts: Mapping[int, Part]) -> defaultdict[int, list[tuple[Any, ...]]]:
    """Run statements, many at once; return the rows of each by its place."""
    rows = defaultdict[int, list[tuple[Any, ...]]](list)
    placed = list(parts.items())
    for start in range(0, len(placed), MOST_AT_ONCE):
        some = placed[start : start + MOST_AT_ONCE]
        sql = " UNION ALL ".join(f"SELECT %s, * FROM ({part.sql})" for _, part in some)
        params = [param for place, part in some for param in (place, *part.params)]
        for place, *row in db.select(sql, params):
            rows[place].append(tuple(row))
    return rows


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
    blocks = {kind: [block for its, place, block in rows if its == kind and place is None] for kind in kinds}
    having = {
        kind: {new[kind][at]: count for its, at, count in rows if its == kind and at is not None} for kind in kinds
    }
    return {kind: _counted(kind, words, blocks[kind], having[kind]) for kind in kinds} if rows else {}


def _counted(kind: str, words: dict[int, str], blocks: Sequence[bytes], found: dict[int, int]) -> Counts:
    """Return what was counted just now with what was kept of before; what has drifted since is counted again."""
    texts, total = _numbers(b"".join(blocks))
    kept = kept_counts.still(kind, words, texts=texts)
    if drifted := [term for term in words if term not in kept and term not in found]:
        again = db.select(_HAVING.format(kind=kind, table=table_of(kind)), [_each_word(drifted, words)])
        found |= {drifted[place]: count for _, place, count in again}
    kept_counts.keep(kind, {term: count for term, count in found.items() if count}, texts=texts)
    return Counts(texts, total / max(1, texts), kept | found)


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


def _few(question: Question) -> Part:
    """Return the statement that reads the texts of some members with any of the words, if they are few."""
    # Many words take longer to look for than a few texts to read.
    many, table = len(question.words) > terms.MOST_COUNTED, question.table
    wanted = question.inside if many else f"{question.inside} AND {_any_word(question.words)}"
    return Part(f"SELECT rowid, text, before FROM {table} WHERE {table} MATCH %s LIMIT {bm25.FEW_TEXTS}", [wanted])


def _newest_with(table: str, inside: str, words: list[str]) -> dict[str, list[int]]:
    """Return the newest rows with each of the words, without words that no row of the scope has; the rarest of many."""
    most = max(terms.COUNTED_TO, bm25.MOST_READ // len(words))
    sql = _NEWEST.format(table=table)
    parts = {place: Part(sql, (f"{inside} AND {_any_word([word])}", most)) for place, word in enumerate(words)}
    rows = {words[place]: [each for (each,) in some] for place, some in _together(parts).items()}
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
