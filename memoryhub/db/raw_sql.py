"""SQL on tables that are no Django models, through Django's connection and inside its transactions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from django.db import OperationalError, connection


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
        return select(sql, params)
    except OperationalError as error:
        if "no such table" not in str(error):
            raise
        return []


def run_many_if_table(sql: str, rows: Sequence[Sequence[Any]]) -> bool:
    """Execute one statement for each row; False, and nothing done, where the table was not made yet."""
    try:
        run_many(sql, rows)
    except OperationalError as error:
        if "no such table" not in str(error):
            raise
        return False
    return True


def has_table(name: str) -> bool:
    """Say whether the table exists: readers ask instead of creating, so that a search never writes."""
    return bool(select("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = %s", [name]))


def id_list(ids: Iterable[int]) -> str:
    """Return the ids as one parameter for `IN (SELECT value FROM json_each(%s))`: no limit on how many there are."""
    return json.dumps([int(each) for each in ids])


def select_blocks(sql: str, params: Sequence[Any], size: int) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a query in lists of at most `size`."""
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        while block := cursor.fetchmany(size):
            yield block


def to_column(moment: datetime) -> str:
    """Return a moment as Django writes it into a column, to compare with."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(" ")


def from_column(column: datetime) -> datetime:
    """Return the moment that a column of Django's holds, which comes without its time zone."""
    return column.replace(tzinfo=UTC)
