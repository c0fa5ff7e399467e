"""One FTS5 table for each kind: the scope's words are in the index, so a search never leaves it."""

from __future__ import annotations

# ruff: noqa: S608  (the tables' names are constants of the house; every value is a parameter)
from collections.abc import Iterable, Sequence
from contextlib import nullcontext

from memoryhub import db
from memoryhub.search.keywords import terms
from memoryhub.search.keywords.keyword_types import KINDS, Row, known
from memoryhub.search.keywords.terms import indexed, sought
from memoryhub.search.scope import Match, Scope

# The marks of Hindi and its like are parts of words; left out, as is FTS5's default, they would cut words apart.
TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"

# How much a word counts in the text itself and in the message before it.
WEIGHTS = "0, 1, 0.4"

# The first SQLite whose FTS5 takes deleted words out of the file at once.
CAN_ERASE = (3, 42)

# Audiences times subjects of a question that are looked for as pairs; beyond it the two are looked for apart.
MOST_PAIRS = 64

# Questions of one statement; SQLite joins no more than 500.
MOST_AT_ONCE = 50


def prepare(**_signal: object) -> None:
    """Do nothing: each table is made by the first row of its kind."""


def put(*, kind: str, rows: Sequence[Row]) -> None:
    """Index the rows; what was held for an id is replaced."""
    table, values = table_of(kind), []
    for row in rows:
        guild, audience, subject = f"g{row.guild:d}", f"a{row.audience:d}", f"s{row.subject:d}"
        # The words of the scope: the audience, the subject, and one for both, whose rows are few.
        scope = f"{guild}{audience} {guild}{subject} {guild}{audience}{subject}"
        values.append((row.id, scope, indexed(row.text), indexed(row.before)))
    sql = f"INSERT OR REPLACE INTO {table} (rowid, scope, text, before) VALUES (%s, %s, %s, %s)"
    with db.atomic(savepoint=False) if len(rows) > 1 else nullcontext():
        if not db.run_many_if_table(sql, values):
            db.run(f"""CREATE VIRTUAL TABLE {table} USING fts5 (scope, text, before, tokenize="{TOKENIZER}")""")
            if db.server_version() >= CAN_ERASE:
                # Else the words of a deleted row stay in the index's older segments until they happen to be merged.
                db.run(f"INSERT INTO {table} ({table}, rank) VALUES ('secure-delete', 1)")
            db.run_many(sql, values)


def delete(*, kind: str, ids: Iterable[int], guild: int | None = None) -> None:
    """Take the ids out of the index; they are the same in every guild."""
    del guild
    table, ids = table_of(kind), list(ids)
    if ids:
        db.run_many_if_table(
            f"DELETE FROM {table} WHERE rowid IN (SELECT value FROM json_each(%s))", [[db.id_list(ids)]]
        )


def held(*, kind: str) -> set[int]:
    """Return the ids that are indexed."""
    table = table_of(kind)
    return {each for (each,) in db.select(f"SELECT rowid FROM {table}")} if db.has_table(table) else set()


def clear() -> None:
    """Forget everything."""
    for kind in KINDS:
        db.run(f"DROP TABLE IF EXISTS {table_of(kind)}")


_SCORED = f"SELECT rowid, -bm25({{table}}, {WEIGHTS}) AS score FROM {{table}} WHERE {{table}} MATCH %s"
_ORDER = "ORDER BY score DESC, rowid LIMIT %s"
_BEST = f"{_SCORED} {_ORDER}"
# BM25 counts the rows of each part of its expression, also of the scope, which weighs nothing: of a whole guild that
# takes longer than all the rest. So its rows are found first; the plus keeps SQLite from asking for them one by one.
_BEST_OF_GUILD = f"{_SCORED} AND +rowid IN (SELECT rowid FROM {{table}} WHERE {{table}} MATCH %s) {_ORDER}"


def search(*, kind: str, query: str, scope: Scope, limit: int) -> list[Match]:
    """Return the `limit` rows of the scope that share the most telling words with the query, best first.

    The score is BM25's, above 0; it compares rows of one search only. Any text is safe; without words it finds nothing.
    """
    sql, params = _question(table_of(kind), query, scope, limit)
    return [Match(*row) for row in db.select_if_table(sql, params)] if sql else []


def search_each(*, kind: str, queries: Sequence[str], scope: Scope, limit: int) -> list[list[Match]]:
    """Return what `search` finds for each of the queries, in one statement for many of them."""
    found: list[list[Match]] = [[] for _ in queries]
    questions = [_question(table_of(kind), query, scope, limit) for query in queries]
    asked = [place for place, (sql, _) in enumerate(questions) if sql]
    for start in range(0, len(asked), MOST_AT_ONCE):
        places = asked[start : start + MOST_AT_ONCE]
        each = [f"SELECT %s, * FROM ({questions[place][0]})" for place in places]
        params = [param for place in places for param in (place, *questions[place][1])]
        for place, *match in db.select_if_table(" UNION ALL ".join(each), params):
            found[place].append(Match(*match))
    return found


def _question(table: str, query: str, scope: Scope, limit: int) -> tuple[str, list[object]]:
    """Return the statement and its parameters; empty where nothing can be found."""
    words, inside = sought(query), _inside(scope)
    if inside and len(words) > terms.MOST_WORDS:
        words = _rarest(table, inside, words)
    if not inside or not words:
        return "", []
    if scope.subjects is None:
        return _BEST_OF_GUILD.format(table=table), [_any_word(words), f"{inside} AND {_any_word(words)}", limit]
    return _BEST.format(table=table), [f"{inside} AND {_any_word(words)}", limit]


def _rarest(table: str, inside: str, words: list[str]) -> list[str]:
    """Return the words that fewest rows of the scope have, of the longest."""
    longest = terms.longest(words)
    count = f"SELECT %s, count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH %s LIMIT {terms.COUNTED_TO})"
    params = [param for number, word in enumerate(longest) for param in (number, f"{inside} AND {_any_word([word])}")]
    counts = dict(db.select_if_table(" UNION ALL ".join([count] * len(longest)), params))
    rarest = sorted(filter(counts.get, counts), key=counts.__getitem__)
    return [longest[number] for number in rarest[: terms.MOST_WORDS]]


def _any_word(words: Sequence[str]) -> str:
    quoted = (f'"{word[:-1]}" *' if word.endswith("*") else f'"{word}"' for word in words)
    return f"{{text before}} : ({' OR '.join(quoted)})"


def table_of(kind: str) -> str:
    """Return the name of the table of a kind; ValueError for one that is not indexed."""
    return f"memoryhub_words_v1_{known(kind)}"


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
