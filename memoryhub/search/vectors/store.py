"""Where every embedding lives, a table for each kind and model; what an index adds to it is derived from it."""

# ruff: noqa: S608  (the tables' names are made by the house; every value is a parameter)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryhub import db
from memoryhub.search.scope import Scope
from memoryhub.search.vectors.vector_types import SETS, Block, Vector, VectorRow, table_of, unit

Numbers = NDArray[np.int64]

Places = NDArray[np.int64]
"""Ids, subjects and audiences: a row each (3 x n)."""

SHAPE = f"CREATE TABLE IF NOT EXISTS {SETS} (kind TEXT NOT NULL, model TEXT NOT NULL, PRIMARY KEY (kind, model))"

# Changes of a guild that are kept; who has missed more reads the guild anew.
FOLLOWED = 1000
NOTE = f"""INSERT INTO {{table}}_changes VALUES ({{row}}.guild, 1 + COALESCE(
        (SELECT max(number) FROM {{table}}_changes WHERE guild = {{row}}.guild), 0), random(), {{row}}.object_id);
    DELETE FROM {{table}}_changes WHERE guild = {{row}}.guild
        AND number = (SELECT max(number) FROM {{table}}_changes WHERE guild = {{row}}.guild) - {FOLLOWED};"""
SHAPE_OF_SET = (
    """CREATE TABLE IF NOT EXISTS {table} (
        object_id INTEGER PRIMARY KEY, guild INTEGER NOT NULL, subject INTEGER NOT NULL, audience INTEGER NOT NULL,
        embedding BLOB NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS {table}_scope ON {table} (guild, subject, audience)",
    *(f"DROP TRIGGER IF EXISTS {{table}}_{old}" for old in ("put", "move", "delete")),  # of an earlier release
    "DROP TABLE IF EXISTS {table}_guilds",
    # The last changes of each guild, counted, so that what a process keeps of it can follow. The mark is random: a
    # number that was rolled back comes again with another.
    """CREATE TABLE IF NOT EXISTS {table}_changes (
        guild INTEGER NOT NULL, number INTEGER NOT NULL, mark INTEGER NOT NULL, object_id INTEGER NOT NULL,
        PRIMARY KEY (guild, number)) WITHOUT ROWID""",
    """CREATE TRIGGER IF NOT EXISTS {table}_from BEFORE INSERT ON {table}
        WHEN EXISTS (SELECT 1 FROM {table} WHERE object_id = NEW.object_id AND guild <> NEW.guild) BEGIN
        DELETE FROM {table} WHERE object_id = NEW.object_id; END""",
    "CREATE TRIGGER IF NOT EXISTS {table}_put AFTER INSERT ON {table} BEGIN {note_new} END",
    "CREATE TRIGGER IF NOT EXISTS {table}_move AFTER UPDATE ON {table} BEGIN {note_new} END",
    "CREATE TRIGGER IF NOT EXISTS {table}_delete AFTER DELETE ON {table} BEGIN {note_old} END",
)

# Halves of the usual floats: five embeddings of e5 a page instead of two; cosines differ by less than 0.0001.
STORED = np.dtype("<f2")

# Messages are many: bytes, of which the largest number of an embedding is 127. Cosines differ by less than 0.001.
STORED_OF = {"message": np.dtype("i1")}

AMONG = "object_id IN (SELECT value FROM json_each(%s))"

# Embeddings read at once; blocks of 6 MB instead of 1.5 MB made a search half as fast.
BLOCK = 1024


def put(*, kind: str, model: str, rows: Sequence[VectorRow]) -> None:
    """Store the rows' embeddings, scaled to length 1; what was held for an id is replaced."""
    table = table_of(kind, model)
    if not db.has_table(f"{table}_changes"):
        db.run(SHAPE)
        db.run(f"INSERT OR IGNORE INTO {SETS} VALUES (%s, %s)", [kind, model])
        notes = {f"note_{row.lower()}": NOTE.format(table=table, row=row) for row in ("NEW", "OLD")}
        for statement in SHAPE_OF_SET:
            db.run(statement.format(table=table, **notes))
    stored = [_packed(unit(row.embedding), kind) for row in rows]
    sizes = {vector.nbytes for vector in stored}
    sizes.update(size for (size,) in db.select(f"SELECT length(embedding) FROM {table} LIMIT 1"))
    if len(sizes) > 1:
        dimensions = sorted(size // stored[0].itemsize for size in sizes)
        raise ValueError(f"embeddings of one model must have one size; {model!r} has {dimensions} dimensions")
    values = (
        (row.id, row.guild, row.subject, row.audience, vector.tobytes())
        for row, vector in zip(rows, stored, strict=True)
    )
    db.run_many(f"INSERT OR REPLACE INTO {table} VALUES (%s, %s, %s, %s, %s)", values)


def delete(*, kind: str, ids: Iterable[int]) -> None:
    """Remove the ids from every model's set of this kind."""
    for table in _tables(kind):
        db.run(f"DELETE FROM {table} WHERE {AMONG}", [db.id_list(ids)])


def move(*, kind: str, ids: Iterable[int], audience: int) -> None:
    """Give the ids another audience."""
    for table in _tables(kind):
        db.run(f"UPDATE {table} SET audience = %s WHERE {AMONG}", [audience, db.id_list(ids)])


def _tables(kind: str) -> list[str]:
    rows = db.select_if_table(f"SELECT model FROM {SETS} WHERE kind = %s", [kind])
    return [table_of(kind, model) for (model,) in rows]


def clear() -> None:
    """Forget every embedding."""
    if db.has_table(SETS):
        for kind, model in db.select(f"SELECT kind, model FROM {SETS}"):
            db.run(f"DROP TABLE IF EXISTS {table_of(kind, model)}")
            db.run(f"DROP TABLE IF EXISTS {table_of(kind, model)}_changes")
        db.run(f"DROP TABLE {SETS}")


def lacking(wanted: str, params: Sequence[object], *, kind: str, model: str) -> list[int]:
    """Return, in order, the ids of the pairs (guild, id) that a query yields without an embedding of this model."""
    table = table_of(kind, model)
    held = f"SELECT 1 FROM {table} AS held WHERE held.object_id = wanted.id AND held.guild = wanted.guild"
    missing = f" WHERE NOT EXISTS ({held})" if db.has_table(table) else ""
    sql = f"WITH wanted(guild, id) AS ({wanted}) SELECT id FROM wanted{missing} ORDER BY id"
    return [each for (each,) in db.select(sql, params)]


def held(*, kind: str, model: str) -> set[int]:
    """Return the ids that have an embedding of this model."""
    table = table_of(kind, model)
    return {each for (each,) in db.select(f"SELECT object_id FROM {table}")} if db.has_table(table) else set()


def get(*, kind: str, model: str, ids: Iterable[int]) -> dict[int, Vector]:
    """Return the embeddings (length 1) of the ids that have one."""
    sql = f"SELECT object_id, embedding FROM {table_of(kind, model)} WHERE {AMONG}"
    return {each: _matrix([blob], kind)[0] for each, blob in db.select_if_table(sql, [db.id_list(ids)])}


def _packed(vector: Vector, kind: str) -> NDArray[np.number[Any]]:
    whole = np.round(vector * (127 / np.abs(vector).max())) if kind in STORED_OF else vector
    packed: NDArray[np.number[Any]] = whole.astype(STORED_OF.get(kind, STORED))
    return packed


def _matrix(blobs: Sequence[bytes], kind: str) -> Vector:
    numbers = np.frombuffer(b"".join(blobs), dtype=STORED_OF.get(kind, STORED)).astype(np.float32)
    rows = numbers.reshape(len(blobs), -1 if blobs else 0)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) if kind in STORED_OF else rows


def stored(*, kind: str, model: str, size: int, after: tuple[int, int] = (0, 0)) -> Iterator[list[VectorRow]]:
    """Yield all rows of a set, `size` at once; `after` is the guild and the id of the last one that is known."""
    columns = "object_id, guild, subject, audience, embedding"
    sql = f"SELECT {columns} FROM {table_of(kind, model)} WHERE object_id > %s ORDER BY object_id"
    for block in db.select_blocks(sql, [after[1]], size):
        yield [
            VectorRow(id=each, guild=guild, subject=subject, audience=audience, embedding=_matrix([blob], kind)[0])
            for each, guild, subject, audience, blob in block
        ]


def has_at_least(count: int, *, kind: str, model: str, guild: int) -> bool:
    """Say whether the guild holds that many embeddings; costs one step of an index for each."""
    sql = f"SELECT 1 FROM {table_of(kind, model)} WHERE guild = %s LIMIT 1 OFFSET %s"
    return bool(db.select(sql, [guild, count - 1]))


def guilds(count: int, *, kind: str, model: str) -> list[int]:
    """Return the guilds that hold at least that many embeddings."""
    table = table_of(kind, model)
    if not db.has_table(table):
        return []
    return [guild for (guild,) in db.select(f"SELECT guild FROM {table} GROUP BY guild HAVING count(*) >= %s", [count])]


def of_guild(*, kind: str, model: str, guild: int) -> Iterator[tuple[int, int, int, Vector]]:
    """Yield id, subject, audience and embedding of everything that the guild holds."""
    sql = f"SELECT object_id, subject, audience, embedding FROM {table_of(kind, model)} WHERE guild = %s"
    for block in db.select_blocks(sql, [guild], BLOCK):
        for each, subject, audience, blob in block:
            yield each, subject, audience, _matrix([blob], kind)[0]


def changes(*, kind: str, model: str, guild: int, since: int | None) -> list[tuple[int, int, int]]:
    """Return number, mark and id of each change from `since` on, as far as they are still known; else the last one."""
    table, which = f"{table_of(kind, model)}_changes", "number = (SELECT max(number) FROM {0} WHERE guild = %s)"
    columns = f"SELECT number, mark, object_id FROM {table} WHERE guild = %s AND "
    if since is None:
        return db.select_if_table(columns + which.format(table), [guild, guild])
    return db.select_if_table(f"{columns} number >= %s ORDER BY number", [guild, since])


def changes_of_all(asked: Sequence[tuple[str, str, int, int]]) -> list[list[tuple[int, int, int]]]:
    """Return what `changes` does for each kind, model, guild and number, by one statement."""
    found: list[list[tuple[int, int, int]]] = [[] for _ in asked]
    one = "SELECT %s, * FROM (SELECT number, mark, object_id FROM {}_changes WHERE guild = %s AND number >= %s"
    parts = [f"{one.format(table_of(kind, model))} ORDER BY number)" for kind, model, _, _ in asked]
    params = [each for place, (_, _, guild, since) in enumerate(asked) for each in (place, guild, since)]
    for place, *change in db.select_if_table(" UNION ALL ".join(parts), params) if asked else ():
        found[place].append((change[0], change[1], change[2]))
    return found


def size_of_guild(most: int, *, kind: str, model: str, guild: int) -> int:
    """Return how many embeddings the guild holds, `most` if they are more; costs one step of an index for each."""
    sql = f"SELECT count(*) FROM (SELECT 1 FROM {table_of(kind, model)} WHERE guild = %s LIMIT %s)"
    ((size,),) = db.select(sql, [guild, most])
    return int(size)


def rows_of(*, kind: str, model: str, guild: int, ids: Iterable[int] | None = None) -> Iterator[tuple[Places, Vector]]:
    """Yield ids, subjects and audiences (3 x n) and the embeddings of what the guild holds, or of these ids of it."""
    condition, params = (
        ("guild = %s", [guild]) if ids is None else (f"+guild = %s AND {AMONG}", [guild, db.id_list(ids)])
    )
    sql = f"SELECT object_id, subject, audience, embedding FROM {table_of(kind, model)} WHERE {condition} ORDER BY 1"
    for block in db.select_blocks(sql, params, BLOCK):
        places = np.array([row[:3] for row in block], dtype=np.int64).reshape(-1, 3)
        yield places.T, _matrix([row[3] for row in block], kind)


def sample(count: int, *, kind: str, model: str, guild: int) -> tuple[int, Numbers, Vector]:
    """Return how many embeddings the guild holds, and audiences and embeddings of about `count` from all over it."""
    table = table_of(kind, model)
    ((held,),) = db.select(f"SELECT count(*) FROM {table} WHERE guild = %s", [guild])
    rows = db.select(
        # Knuth's multiplicative hash: ids that count up hit every share of its range alike.
        f"SELECT audience, embedding FROM {table} WHERE guild = %s AND object_id * 2654435761 %% 4294967296 < %s",
        [guild, (1 << 32) * count // max(held, count)],
    )
    return held, np.array([row[0] for row in rows], dtype=np.int64), _matrix([row[1] for row in rows], kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some embeddings of a kind and model: the rows that a condition leaves."""

    kind: str
    model: str
    condition: str
    params: list[object]


def within(*, kind: str, model: str, scope: Scope) -> Part:
    """Return the scope's embeddings, to be read."""
    # Subjects first: a member's embeddings are next to each other in the index.
    lists = {"subject": scope.subjects, "audience": scope.audiences}
    return _part(kind, model, "guild = %s", scope.guild, lists)


def among(ids: Iterable[int], *, kind: str, model: str, scope: Scope) -> Part:
    """Return the embeddings of those of the ids that are within the scope, to be read."""
    # The plus keeps SQLite from reading the whole guild by the other index.
    lists = {"object_id": ids, "+subject": scope.subjects, "+audience": scope.audiences}
    return _part(kind, model, "+guild = %s", scope.guild, lists)


def _part(kind: str, model: str, guild: str, pk: int, lists: Mapping[str, Iterable[int] | None]) -> Part:
    limited = {column: db.id_list(allowed) for column, allowed in lists.items() if allowed is not None}
    more = "".join(f" AND {column} IN (SELECT value FROM json_each(%s))" for column in limited)
    return Part(kind=kind, model=model, condition=f"{guild}{more}", params=[pk, *limited.values()])


def blocks(part: Part) -> Iterator[Block]:
    """Yield the embeddings block by block; none where the set was not made yet."""
    return (block for _, block in blocks_of_all([part]))


def blocks_of_all(parts: Sequence[Part]) -> Iterator[tuple[int, Block]]:
    """Yield the embeddings of all parts block by block, each with the place of its part, by one statement."""
    sql = " UNION ALL ".join(
        f"SELECT %s, object_id, embedding FROM {table_of(part.kind, part.model)} WHERE {part.condition}"
        for part in parts
    )
    params, any_found = [each for place, part in enumerate(parts) for each in (place, *part.params)], False
    for block in db.select_blocks_if_table(sql, params, BLOCK) if parts else ():
        any_found = True
        for place, rows in groupby(block, itemgetter(0)):
            _, ids, blobs = zip(*rows, strict=True)
            yield place, (list(ids), _matrix(blobs, parts[place].kind))
    if len(parts) > 1 and not any_found:  # one set may have no table yet, which hides the others
        for place, part in enumerate(parts):
            yield from ((place, block) for block in blocks(part))
