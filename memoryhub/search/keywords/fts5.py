"""One FTS5 table for each kind: the scope's words are in the index, so a search never leaves it."""

from __future__ import annotations

# ruff: noqa: S608  (the tables' names are constants of the house; every value is a parameter)
from collections.abc import Iterable, Sequence
from contextlib import nullcontext

from memoryhub import db
from memoryhub.search.keywords.fts5_search import kept_counts, search, search_all, written
from memoryhub.search.keywords.keyword_types import KINDS, TextRow, table_of
from memoryhub.search.keywords.terms import indexed

__all__ = ["add", "clear", "delete", "held", "prepare", "put", "search", "search_all", "table_of"]

# The marks of Hindi and its like are parts of words; left out, as is FTS5's default, they would cut words apart.
TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"

# The first SQLite whose FTS5 takes deleted words out of the file at once.
CAN_ERASE = (3, 42)


def prepare(**_signal: object) -> None:
    """Do nothing: each table is made by the first row of its kind."""


def add(*, kind: str, rows: Sequence[TextRow]) -> None:
    """Index rows that were just stored; one that comes twice is indexed as it comes last."""
    put(kind=kind, rows=rows)


def put(*, kind: str, rows: Sequence[TextRow]) -> None:
    """Index the rows; what was held for an id is replaced."""
    if not rows:
        return
    table, values, written.here = table_of(kind), [], True
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
    table, ids, written.here = table_of(kind), list(ids), True
    if ids:
        db.run_many_if_table(
            f"DELETE FROM {table} WHERE rowid IN (SELECT value FROM json_each(%s))", [[db.id_list(ids)]]
        )


def held(*, kind: str) -> set[int]:
    """Return the ids that are indexed."""
    table = table_of(kind)
    return {each for (each,) in db.select(f"SELECT rowid FROM {table}")} if db.has_table(table) else set()


def rewrite() -> None:
    """Write the index anew: words of deleted rows may still say where its pages begin, which nothing else clears.

    Other writers wait for that, some 10 ms a megabyte.
    """
    for table in filter(db.has_table, map(table_of, KINDS)):
        with db.atomic():
            # Only several segments are merged, so there must be a second one: that of a row that is none.
            db.run(f"INSERT INTO {table} (rowid, scope) VALUES (0, 'g0')")
            db.run(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
            db.run(f"DELETE FROM {table} WHERE rowid = 0")


def clear() -> None:
    """Forget everything."""
    kept_counts.clear()
    for kind in KINDS:
        db.run(f"DROP TABLE IF EXISTS {table_of(kind)}")
