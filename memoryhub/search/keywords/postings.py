"""The word index on PostgreSQL: a row for each text with its terms, and a row for each term of it, which is searched.

No word is kept, only a number for its stem. What is counted of a guild is counted at each question, from few rows: no
row has to be written by everybody who writes. Every key begins with the guild, so that tables can be spread by it.
"""

from __future__ import annotations

# ruff: noqa: S608  (the tables' names are constants of the house; every value is a parameter)
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any

from django.db import transaction

from memoryhub import db
from memoryhub.search.keywords.bm25 import IN_BEFORE, IN_TEXT, SCOPE_WORDS
from memoryhub.search.keywords.keyword_types import KINDS, TextRow, table_of
from memoryhub.search.keywords.posting_search import kept_counts, postings_of, search, search_all
from memoryhub.search.keywords.terms import counted

__all__ = ["add", "clear", "delete", "held", "postings_of", "prepare", "put", "search", "search_all", "table_of"]

MOST = 2**15 - 1  # a column's largest number
AT_ONCE = 500  # rows of one statement

SHAPE = (
    """CREATE TABLE IF NOT EXISTS {words} (
        guild bigint NOT NULL, id bigint NOT NULL, subject bigint NOT NULL, audience bigint NOT NULL,
        lot integer NOT NULL, length smallint NOT NULL, terms bigint[] NOT NULL, counts smallint[] NOT NULL,
        PRIMARY KEY (guild, id))""",
    "CREATE INDEX IF NOT EXISTS {words}_subject ON {words} (guild, subject)",
    "CREATE INDEX IF NOT EXISTS {words}_lot ON {words} (guild, lot) INCLUDE (length)",
    """CREATE TABLE IF NOT EXISTS {postings} (
        guild bigint NOT NULL, term bigint NOT NULL, lot integer NOT NULL, count smallint NOT NULL,
        length smallint NOT NULL, id bigint NOT NULL, audience bigint NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS {postings}_term ON {postings} (guild, term, lot) INCLUDE (count, length, id, audience)",
    # A search reads the index alone where vacuum has been: let it come often.
    """ALTER TABLE {postings} SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02,
        autovacuum_analyze_scale_factor = 0.05)""",
)


def prepare(**_signal: object) -> None:
    """Make the tables."""
    for kind in KINDS:
        if not db.has_table(postings_of(kind)):
            for statement in SHAPE:
                db.run(statement.format(words=table_of(kind), postings=postings_of(kind)))


ROWS = """unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::integer[], %s::smallint[], %s::text[], %s::text[])
    AS row(id, subject, audience, lot, length, terms, counts)"""
WORDS = f"""INSERT INTO {{words}} (guild, id, subject, audience, lot, length, terms, counts)
    SELECT %s, id, subject, audience, lot, length, terms::bigint[], counts::smallint[] FROM {ROWS}"""
POSTINGS = f"""INSERT INTO {{postings}} (guild, term, lot, count, length, id, audience)
    SELECT %s, part.term, row.lot, part.count, row.length, row.id, row.audience
    FROM {ROWS} CROSS JOIN LATERAL unnest(row.terms::bigint[], row.counts::smallint[]) AS part(term, count)"""


def add(*, kind: str, rows: Sequence[TextRow]) -> None:
    """Index rows that were just stored: whoever looks for the same ones can't see them yet."""
    with db.in_one_go():
        for guild, parts in _parts(rows):
            for part in parts:
                values = [guild, *_columns(part)]
                db.write(WORDS.format(words=table_of(kind)), values)
                db.write(POSTINGS.format(postings=postings_of(kind)), values)


def put(*, kind: str, rows: Sequence[TextRow]) -> None:
    """Index the rows; what was held for an id of the guild is replaced."""
    for guild, parts in _parts(rows):
        with transaction.atomic(savepoint=False):
            for part in parts:
                _put(kind, guild, part)


def _parts(rows: Sequence[TextRow]) -> Iterator[tuple[int, list[Sequence[TextRow]]]]:
    """Yield each guild with its rows, cut into those of a statement.

    They are in the order of their ids: two who put the same rows wait for each other in turn, not in a circle.
    """
    ordered = sorted({(row.guild, row.id): row for row in rows}.values(), key=attrgetter("guild", "id"))
    for guild, its_rows in groupby(ordered, attrgetter("guild")):
        rest = list(its_rows)
        yield guild, [rest[start : start + AT_ONCE] for start in range(0, len(rest), AT_ONCE)]


def _put(kind: str, guild: int, rows: Sequence[TextRow]) -> None:
    sql = f"{WORDS.format(words=table_of(kind))} ON CONFLICT (guild, id) DO NOTHING RETURNING id"
    values = [guild, *_columns(rows)]
    lacking = {row.id: row for row in rows}
    while lacking:
        for (each,) in db.select(sql, values if len(lacking) == len(rows) else [guild, *_columns(lacking.values())]):
            del lacking[each]
        if lacking:
            delete(kind=kind, ids=lacking, guild=guild)
    db.run(POSTINGS.format(postings=postings_of(kind)), values)


def _columns(rows: Iterable[TextRow]) -> list[Any]:
    """Return the rows as the lists of `ROWS`; a list in a list is written out, since those differ in length."""
    *numbers, terms, counts = zip(*map(_values, rows), strict=True)
    written = ["{" + ",".join(f'"{each}"' for each in lists) + "}" for lists in (terms, counts)]
    return [*map(db.id_list, numbers), *written]


def _values(row: TextRow) -> tuple[Any, ...]:
    in_text, length = counted(row.text)
    in_before, more = counted(row.before) if row.before else ({}, 0)
    terms = in_text.keys() | in_before.keys()
    counts = [min(MOST, IN_TEXT * in_text.get(each, 0) + IN_BEFORE * in_before.get(each, 0)) for each in terms]
    long = min(MOST, length + more + SCOPE_WORDS)
    return row.id, row.subject, row.audience, _lot(row.id), long, db.id_list(terms), db.id_list(counts)


def _lot(number: int) -> int:
    """Return a number from all over the range of a column: the smallest of them are a sample of the ids."""
    return int.from_bytes(
        blake2b(number.to_bytes(8, "little", signed=True), digest_size=4).digest(), "little", signed=True
    )


def delete(*, kind: str, ids: Iterable[int], guild: int | None = None) -> None:
    """Take the ids out of the index; without a guild, wherever they are."""
    wanted = sorted(set(ids))
    if not wanted:
        return
    inside, params = ("guild = %s AND ", [guild]) if guild is not None else ("", [])
    with transaction.atomic(savepoint=False):
        # First the rows: whoever puts the same ones waits for them. The next statement sees what such a one has put.
        gone = db.select(
            f"DELETE FROM {table_of(kind)} WHERE {inside}id = ANY(%s::bigint[]) RETURNING guild, id, lot, terms",
            [*params, db.id_list(wanted)],
        )
        for place, its_rows in groupby(sorted(gone), key=itemgetter(0)):
            parts = [(term, lot, each) for _, each, lot, terms in its_rows for term in terms]
            db.run(
                f"""DELETE FROM {postings_of(kind)} AS row
                USING unnest(%s::bigint[], %s::integer[], %s::bigint[]) AS gone(term, lot, id)
                WHERE row.guild = %s AND row.term = gone.term AND row.lot = gone.lot AND row.id = gone.id""",
                [*(db.id_list(part[column] for part in parts) for column in range(3)), place],
            )


def held(*, kind: str) -> set[int]:
    """Return the ids that are indexed."""
    return {each for (each,) in db.select(f"SELECT id FROM {table_of(kind)}")}


def rewrite() -> None:
    """Do nothing: a word goes with its last row."""


def clear() -> None:
    """Forget everything."""
    for kind in KINDS:
        db.run(f"DELETE FROM {table_of(kind)}")
        db.run(f"DELETE FROM {postings_of(kind)}")
    kept_counts.clear()
