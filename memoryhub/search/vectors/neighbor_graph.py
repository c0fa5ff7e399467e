"""HNSW graphs of pgvector: when a set gets one, and when a search is quicker by it than by comparing all of a scope."""

from __future__ import annotations

# ruff: noqa: S608  (the tables' names are made by the house; every value is a parameter)
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from django.db import connection

from memoryhub import db
from memoryhub.search.kept_plans import LIST
from memoryhub.search.scope import Scope

# So many embeddings of a scope are compared one by one in five milliseconds. With more in one guild, its set gets a
# graph; a row more in that takes two milliseconds, in the background.
FEW = 10_000

# A step in the graph takes as long as so many comparisons, of which every second one finds a neighbour. It has none
# but the neighbours of all guilds: where the scope is a small part of the set, most steps meet others'.
STEP, STEPS = 25, 2

# Counted no further: what is beyond is big.
COUNTED_TO = 200_000

# Seconds for which counts serve. They only choose the quicker way to the same answer.
COUNTS_LAST = 300

FIRST_TO_GO_ON = (0, 8)
LEAST_LIST, LONGEST_LIST = 40, 1_000  # pgvector's own first and last
GO_ON = "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', %s), set_config('hnsw.ef_search', %s, %s)"

MOST_KEPT = 4_096
_sizes: dict[tuple[object, ...], int] = {}
_lists: WeakKeyDictionary[Any, int] = WeakKeyDictionary()  # by the driver's connection: how long its session's list is


def suits(table: str, scope: Scope, limit: int) -> bool | None:
    """Say whether the graph is the quicker way to the nearest of the scope; None for members not counted yet."""
    now = _now()
    if not _has_graph(table, now):
        return False
    size = _sizes.get((table, _place(scope), now))
    if size is None and scope.subjects is None:
        condition, params = condition_of(scope)
        size = int(db.select(size_of(table, condition), params)[0][0])
        keep_size(table, scope, size)
    if size is None:
        return None
    return size > FEW and STEP * STEPS * limit * max(1.0, _total(table, now) / size) < size


def condition_of(scope: Scope) -> tuple[str, list[object]]:
    """Return the scope as a condition, with its parameters."""
    condition, params = f"guild = %s AND audience = ANY({LIST})", [scope.guild, db.id_list(scope.audiences)]
    if scope.subjects is None:
        return condition, params
    return f"{condition} AND subject = ANY({LIST})", [*params, db.id_list(scope.subjects)]


def size_of(table: str, condition: str) -> str:
    """Return the statement that counts the scope of this condition."""
    return f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {condition} LIMIT {COUNTED_TO}) AS row"


def keep_size(table: str, scope: Scope, size: int) -> None:
    """Keep for a while how many embeddings are in the scope."""
    if len(_sizes) >= MOST_KEPT:
        _sizes.clear()
    _sizes[table, _place(scope), _now()] = size


def _now() -> int:
    return int(time.monotonic() // COUNTS_LAST)


def _place(scope: Scope) -> tuple[object, ...]:
    subjects = None if scope.subjects is None else tuple(scope.subjects)
    return connection.settings_dict["NAME"], scope.guild, tuple(scope.audiences), subjects


@contextmanager
def walked(count: int) -> Iterator[None]:
    """Have the statement inside go on in the graph until it has found enough within its scope."""
    longest = min(LONGEST_LIST, max(LEAST_LIST, 2 * count))
    connection.ensure_connection()
    if connection.in_atomic_block:  # whose end may take it back
        db.select(GO_ON, [True, str(longest), True])
    elif _lists.get(connection.connection) != longest:
        db.select(GO_ON, [False, str(longest), False])
        _lists[connection.connection] = longest
    yield


def build_if_big(table: str) -> bool:
    """Make the set's graph if a guild is big and it has none; return whether it was made.

    Others go on reading and writing meanwhile, but where a transaction is open. A graph that was left half made, by
    a process that was killed, is thrown away first.
    """
    state = db.select(
        """SELECT indisvalid, EXISTS (SELECT 1 FROM pg_stat_progress_create_index WHERE index_relid = indexrelid)
        FROM pg_index WHERE indexrelid = to_regclass(%s)""",
        [_name(table)],
    )
    if any(valid or being_made for valid, being_made in state):
        return False
    if not _can_go_on():
        return False
    big = f"SELECT 1 FROM {table} GROUP BY guild HAVING count(*) > %s LIMIT 1"
    if 0 <= _estimate(table) < FEW or not db.select(big, [FEW]):
        return False
    partitioned = db.select("SELECT 1 FROM pg_class WHERE oid = to_regclass(%s) AND relkind = 'p'", [table])
    quietly = "" if connection.in_atomic_block or partitioned else "CONCURRENTLY"
    if state:
        db.run(f"DROP INDEX {quietly} IF EXISTS {_name(table)}")
    db.run(f"CREATE INDEX {quietly} IF NOT EXISTS {_name(table)} ON {table} USING hnsw (embedding halfvec_ip_ops)")
    return True


def _can_go_on() -> bool:
    """Say whether this pgvector finds enough in a scope that is a small part of a graph; older ones give up."""
    sql = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    return any(tuple(map(int, version.split(".")[:2])) >= FIRST_TO_GO_ON for (version,) in db.select(sql))


def _name(table: str) -> str:
    return f"{table}_graph"


def _estimate(table: str) -> float:
    """Return about how many rows a table has, as vacuum counted them last; -1 if it never did."""
    return float(db.select("SELECT reltuples FROM pg_class WHERE oid = to_regclass(%s)", [table])[0][0])


@lru_cache(maxsize=256)
def _has_graph(table: str, _now: int) -> bool:
    made = db.select("SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(%s) AND indisvalid", [_name(table)])
    return bool(made) and _can_go_on()


@lru_cache(maxsize=256)
def _total(table: str, _now: int) -> float:
    return _estimate(table)
