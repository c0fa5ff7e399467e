"""SQL on tables that are no Django models, through Django's connection and inside its transactions.

Statements are written once for SQLite and PostgreSQL: `coalesce`, `CASE`, `IS TRUE`, `->>` with a plain key,
`ON CONFLICT`. What cannot be written the same for both comes from the functions at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, cast

from django.db import DatabaseError, connection

from memoryhub.db.backend import dialect


def run(sql: str, params: Sequence[Any] = ()) -> None:
    """Execute one statement that returns nothing."""
    with connection.cursor() as cursor:
        cursor.execute(sql, params)


def run_many(sql: str, rows: Iterable[Sequence[Any]]) -> None:
    """Execute one statement for each row."""
    with connection.cursor() as cursor:
        # Django hands an iterator through; only its type hint asks for a list.
        cursor.executemany(sql, cast("Sequence[Sequence[Any]]", rows))


def select(sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
    """Return every row of a query."""
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def select_if_table(sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
    """Return every row of a query, none where the table was not made yet: cheaper than to ask for the table first."""
    try:
        with dialect().trying():
            return select(sql, params)
    except DatabaseError as error:
        if not dialect().is_missing_table(error):
            raise
        return []


def run_many_if_table(sql: str, rows: Sequence[Sequence[Any]]) -> bool:
    """Execute one statement for each row; False, and nothing done, where the table was not made yet."""
    try:
        with dialect().trying():
            run_many(sql, rows)
    except DatabaseError as error:
        if not dialect().is_missing_table(error):
            raise
        return False
    return True


def select_blocks(sql: str, params: Sequence[Any], size: int) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a query in lists of at most `size`, without holding all of them at once."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(sql, params)
        while block := cursor.fetchmany(size):
            yield block


def select_blocks_if_table(sql: str, params: Sequence[Any], size: int) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a query as `select_blocks` does, none where the table was not made yet."""
    try:
        with dialect().trying():
            yield from select_blocks(sql, params, size)
    except DatabaseError as error:
        if not dialect().is_missing_table(error):
            raise


def trying() -> AbstractContextManager[object]:
    """Let a statement inside fail and the open transaction go on: PostgreSQL gives it up otherwise."""
    return dialect().trying()


def in_one_go() -> AbstractContextManager[object]:
    """Have all that is written inside, by `write`, `append` and `insert_numbered`, sent as one statement.

    PostgreSQL's parts of it do not see each other, and come in no order: no row may be written twice, and none be read
    that is written inside. What fails raises its DatabaseError at the end of the block at the latest, so nothing inside
    may count the rows that it changed. On SQLite each statement is run by itself, at once; where tables are spread by
    Citus, which takes no such statement, they go out without waiting for the answer to each.
    """
    return dialect().in_one_go()


def write(sql: str, params: Sequence[Any] = ()) -> None:
    """Execute one INSERT, UPDATE or DELETE whose outcome nobody asks for, with the others of an `in_one_go`."""
    dialect().write(sql, params)


def has_table(name: str) -> bool:
    """Say whether the table exists: readers ask instead of creating, so that a search never writes."""
    return dialect().has_table(name)


# --- Pieces of statements that the databases write differently ----------------------------------------------------


def among(column: str, mark: str = "%s", *, kind: str = "bigint") -> str:
    """Return the condition that the column is in the list which stands at the mark as an `id_list`.

    There is no limit on how many there are. `kind` is the SQL type of the list's values: `text` for a `text_list`.
    """
    return dialect().among(column, mark, kind)


def among_found(column: str, query: str) -> str:
    """Return the condition that the column is among what another query yields, which is run first, and once.

    Joined, PostgreSQL may begin with the other end while it does not know yet how many rows a new table has: it takes
    the guild for the narrowest condition and compares all rows of one table with all of the next.
    """
    return dialect().among_found(column, query)


def listed(mark: str = "%s", *, alias: str) -> str:
    """Return the `id_list` at the mark as a table with the columns `value` and, in their order, `key`."""
    return dialect().listed(mark, alias)


def id_list(ids: Iterable[int]) -> Any:
    """Return the ids as one parameter for `among` or `listed`."""
    return dialect().list_param(map(int, ids))


def text_list(words: Iterable[str]) -> Any:
    """Return the words as one parameter for `among` with the kind `text`."""
    return dialect().list_param(map(str, words))


def joined(column: str, between: str) -> str:
    """Return the aggregate that joins a column's values to one text, with this between each and the next.

    Of one statement, all are in the same order. Many values come faster so than as rows.
    """
    return dialect().joined(column, between)


def in_order() -> str:
    """Return the JOIN that keeps SQLite to the order of the tables as written; PostgreSQL finds it by itself."""
    return dialect().IN_ORDER


def by_index(name: str) -> str:
    """Return what stands after a table's name to have SQLite use this index, where it would guess wrong."""
    return dialect().by_index(name)


def unindexed(column: str) -> str:
    """Return a column that is compared as well, such as the guild, but by which SQLite should not look."""
    return dialect().BY_NO_INDEX + column


def to_column(moment: datetime) -> Any:
    """Return a moment as it stands in a column of Django's, to compare with."""
    return dialect().to_column(moment)
