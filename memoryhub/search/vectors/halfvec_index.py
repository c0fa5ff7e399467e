"""The vector index on PostgreSQL: a table of pgvector's halfvec for each kind and model, searched where it lies.

Nothing is kept in a process: what one host writes, all others find at once. Every key begins with the guild.
"""

from __future__ import annotations

# ruff: noqa: S608  (the tables' names are made by the house; every value is a parameter)
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from operator import attrgetter

import numpy as np
from django.db import connection, transaction

from memoryhub import db
from memoryhub.search.kept_plans import LIST
from memoryhub.search.scope import Match, Scope
from memoryhub.search.vectors import neighbor_graph
from memoryhub.search.vectors.vector_types import SETS, Sought, Vector, VectorRow, best, table_of, unit

SHAPE = f"CREATE TABLE IF NOT EXISTS {SETS} (kind text NOT NULL, model text NOT NULL, PRIMARY KEY (kind, model))"
SHAPE_OF_SET = (
    """CREATE TABLE IF NOT EXISTS {table} (
        guild bigint NOT NULL, object_id bigint NOT NULL, subject bigint NOT NULL, audience bigint NOT NULL,
        embedding halfvec({size}) NOT NULL, PRIMARY KEY (guild, object_id))""",
    "CREATE INDEX IF NOT EXISTS {table}_scope ON {table} (guild, subject, audience)",
)
# Kept in the row as it is: fetched from elsewhere, an embedding of 1,536 numbers takes three times as long to compare.
IN_THE_ROW = "ALTER TABLE {table} ALTER COLUMN embedding SET STORAGE PLAIN"
LONGEST_IN_THE_ROW = 3_500  # numbers, of two bytes, in a page of 8,192

HEADER = 4  # bytes before the numbers, as pgvector sends them
SENT = np.dtype(">f2")
AT_ONCE = 200  # rows of one statement

# Looked for beyond the limit: pgvector compares with halves of the question's numbers, we with the whole ones.
MORE = 8

_sizes: dict[tuple[str, str], int] = {}


def prepare(**_signal: object) -> None:
    """Make the table that names the sets."""
    db.run(SHAPE)


def put(*, kind: str, model: str, rows: Sequence[VectorRow]) -> None:
    """Keep the rows' embeddings; what was held for the same kind, model, guild and id is replaced."""
    # In the order of their ids: two who put the same rows wait for each other in turn, not in a circle.
    by_id = {(row.guild, row.id): (row, unit(row.embedding)) for row in sorted(rows, key=attrgetter("guild", "id"))}
    if not by_id:
        return
    table, sizes = table_of(kind, model), {len(vector) for _, vector in by_id.values()}
    if stored := _size_of(table):
        sizes.add(stored)
    if len(sizes) > 1:
        raise ValueError(f"embeddings of one model must have one size; {model!r} has {sorted(sizes)} dimensions")
    with transaction.atomic(savepoint=False):
        if not stored:
            _create(kind, model, sizes.pop())
        values = [
            (row.guild, row.id, row.subject, row.audience, _halves(vector)) for row, vector in by_id.values()
        ]  # fmt: skip
        for start in range(0, len(values), AT_ONCE):
            block = values[start : start + AT_ONCE]
            db.run(
                f"""INSERT INTO {table} VALUES {", ".join(["(%s, %s, %s, %s, %s::halfvec)"] * len(block))}
                ON CONFLICT (guild, object_id) DO UPDATE SET
                subject = excluded.subject, audience = excluded.audience, embedding = excluded.embedding""",
                [value for row in block for value in row],
            )


def _create(kind: str, model: str, size: int) -> None:
    table = table_of(kind, model)
    # Two who make the same table at once would trip over each other, whether or not it exists.
    db.run("SELECT pg_advisory_xact_lock(hashtext(%s))", [table])
    for statement in SHAPE_OF_SET:
        db.run(statement.format(table=table, size=size))
    if size <= LONGEST_IN_THE_ROW:
        db.run(IN_THE_ROW.format(table=table))
    db.run(f"INSERT INTO {SETS} VALUES (%s, %s) ON CONFLICT DO NOTHING", [kind, model])


def _size_of(table: str) -> int:
    """Return the dimensions of a set's embeddings; 0 where it has no table yet."""
    known = (connection.settings_dict["NAME"], table)  # a process may turn to another database
    if size := _sizes.get(known):
        return size
    sql = "SELECT atttypmod FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = 'embedding'"
    for (size,) in db.select(sql, [table]):
        if not connection.in_atomic_block:  # else it may have been made in this transaction, and go with it
            _sizes[known] = size
        return int(size)
    return 0


def _halves(vector: Vector) -> str:
    """Return an embedding as pgvector reads it: five digits tell every half from the next."""
    return f"[{','.join(['%.5g'] * len(vector))}]" % tuple(vector.astype(np.float16).tolist())


@lru_cache(maxsize=64)
def _whole(sent: bytes) -> str:
    """Return a question's embedding as pgvector reads it, with all digits; each kind of memory is asked the same."""
    numbers = np.frombuffer(sent, np.float32).tolist()
    return f"[{','.join(['%.9g'] * len(numbers))}]" % tuple(numbers)


def _tables(kind: str) -> list[str]:
    return [table_of(kind, model) for (model,) in db.select(f"SELECT model FROM {SETS} WHERE kind = %s", [kind])]


def delete(*, kind: str, ids: Iterable[int], guild: int | None = None) -> None:
    """Forget the ids of a kind, in every model's set; without a guild, wherever they are."""
    if wanted := list(ids):
        condition, params = _place(wanted, guild)
        for table in _tables(kind):
            db.run(f"DELETE FROM {table} WHERE {condition}", params)


def move(*, kind: str, ids: Iterable[int], audience: int, guild: int | None = None) -> None:
    """Give the ids of a kind another audience."""
    condition, params = _place(list(ids), guild)
    for table in _tables(kind):
        db.run(f"UPDATE {table} SET audience = %s WHERE {condition}", [audience, *params])


def get(*, kind: str, model: str, ids: Iterable[int], guild: int | None = None) -> dict[int, Vector]:
    """Return the embeddings (length 1) of the ids that have one."""
    table = table_of(kind, model)
    if not _size_of(table):
        return {}
    condition, params = _place(list(ids), guild)
    rows = db.select(f"SELECT object_id, halfvec_send(embedding) FROM {table} WHERE {condition}", params)
    return {each: _floats(sent) for each, sent in rows}


def _floats(sent: bytes) -> Vector:
    return np.frombuffer(sent, SENT, offset=HEADER).astype(np.float32)


def _place(ids: list[int], guild: int | None) -> tuple[str, list[object]]:
    among, params = "object_id = ANY(%s::bigint[])", [db.id_list(ids)]
    return (among, params) if guild is None else (f"guild = %s AND {among}", [guild, *params])


def held(*, kind: str, model: str) -> set[int]:
    """Return the ids that have an embedding of this model."""
    table = table_of(kind, model)
    return {each for (each,) in db.select(f"SELECT object_id FROM {table}")} if _size_of(table) else set()


def lacking(wanted: str, params: Sequence[object], *, kind: str, model: str) -> list[int]:
    """Return, in order, the ids of the pairs (guild, id) that a query yields without an embedding of this model."""
    table = table_of(kind, model)
    held = f"SELECT 1 FROM {table} AS held WHERE held.object_id = wanted.id AND held.guild = wanted.guild"
    missing = f" WHERE NOT EXISTS ({held})" if _size_of(table) else ""
    sql = f"WITH wanted(guild, id) AS ({wanted}) SELECT id FROM wanted{missing} ORDER BY id"
    return [each for (each,) in db.select(sql, params)]


def stored(*, kind: str, model: str, size: int, after: tuple[int, int] = (0, 0)) -> Iterator[list[VectorRow]]:
    """Yield all rows of a set, `size` at once; `after` is the guild and the id of the last one that is known."""
    sql = f"""SELECT object_id, guild, subject, audience, halfvec_send(embedding) FROM {table_of(kind, model)}
        WHERE (guild, object_id) > (%s, %s) ORDER BY guild, object_id"""
    for block in db.select_blocks(sql, after, size):
        yield [
            VectorRow(id=each, guild=guild, subject=subject, audience=audience, embedding=_floats(sent))
            for each, guild, subject, audience, sent in block
        ]


def search(
    *, kind: str, model: str, embedding: Vector, scope: Scope, limit: int, also: Collection[int] = ()
) -> list[Match]:
    """Return the `limit` nearest of the scope by cosine similarity, best first, and those `also` asked for."""
    table, query = table_of(kind, model), unit(embedding)
    if not scope.audiences or not _size_of(table):
        return []
    by_graph = neighbor_graph.suits(table, scope, limit)
    scores: dict[int, float] = {}
    if by_graph:
        scores = _scores(table, query, scope, limit, also, by_graph=True)
    if len(scores.keys() - set(also)) < limit:  # where too few were met on the way, all are compared
        scores = _scores(table, query, scope, limit, also, by_graph=False, count=by_graph is None)
    ids, told = np.fromiter(scores.keys(), np.int64), np.fromiter(scores.values(), np.float32)
    return best(ids, told, limit, also)


def search_all(asked: Sequence[Sought], *, model: str, embedding: Vector) -> list[list[Match]]:
    """Return what `search` finds for each of those asked."""
    return [search(**each._asdict(), model=model, embedding=embedding) for each in asked]


def _scores(
    table: str, query: Vector, scope: Scope, limit: int, also: Collection[int], *, by_graph: bool, count: bool = False
) -> dict[int, float]:
    """Return the cosines of some more than the nearest, and of those `also` asked for that are in the scope.

    A member's scope is counted with the first search: few are so big that the graph would have been quicker.
    """
    inside, params = neighbor_graph.condition_of(scope)
    # Plus nothing: no order by the distance itself, which the graph would be walked for.
    distance = "embedding <#> (SELECT whole::halfvec FROM asked)"
    order = distance if by_graph else f"({distance}) + 0, object_id"
    cosine = "SELECT object_id, -(embedding::vector <#> (SELECT whole FROM asked))"
    sql = f"""WITH asked AS MATERIALIZED (SELECT %s::vector AS whole) {cosine} FROM (
        SELECT object_id, embedding FROM {table} WHERE {inside} ORDER BY {order} LIMIT {limit + MORE}) AS near"""
    values = [_whole(query.tobytes()), *params]
    if also:
        sql += f" UNION ALL {cosine} FROM {table} WHERE {inside} AND object_id = ANY({LIST})"
        values += [*params, db.id_list(also)]
    if count:
        sql += f" UNION ALL SELECT NULL, ({neighbor_graph.size_of(table, inside)})"
        values += params
    if by_graph:
        with neighbor_graph.walked(limit + MORE):
            return dict(db.select(sql, values))
    scores = dict(db.select(sql, values))
    if count:
        neighbor_graph.keep_size(table, scope, int(scores.pop(None)))
    return scores


def tend(*, kind: str, model: str) -> None:
    """Make the graph of a set in which a guild has become big: for the background, outside a transaction."""
    table = table_of(kind, model)
    if _size_of(table):
        neighbor_graph.build_if_big(table)


def rebuild(*, kind: str, model: str) -> None:
    """Make the graph where it is missing; it follows every change by itself."""
    tend(kind=kind, model=model)


def clear() -> None:
    """Forget every embedding; the tables stay."""
    for kind, model in db.select(f"SELECT kind, model FROM {SETS}"):
        db.run(f"DELETE FROM {table_of(kind, model)}")


@contextmanager
def codes_put_aside(wanted: bool = True) -> Iterator[None]:  # noqa: FBT001, FBT002
    """Do nothing: no rewriting of tables harms their indexes here."""
    del wanted
    yield
