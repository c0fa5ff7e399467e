"""The one table in which every embedding lives; what an index adds to it is derived from it."""

# ruff: noqa: S608  (the tables' names are constants of the house; every value is a parameter)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from memoryhub import db
from memoryhub.scope import Scope
from memoryhub.vectors.base import Block, Row, Vector, unit

# The version is part of the name: another shape is another table, filled by `reindex`.
TABLE = "memoryhub_vectors_v1"

SHAPE = (
    f"""CREATE TABLE IF NOT EXISTS {TABLE} (
        kind TEXT NOT NULL, model TEXT NOT NULL, object_id INTEGER NOT NULL,
        guild INTEGER NOT NULL, subject INTEGER NOT NULL, audience INTEGER NOT NULL, embedding BLOB NOT NULL,
        PRIMARY KEY (kind, object_id, model))""",
    f"CREATE INDEX IF NOT EXISTS {TABLE}_scope ON {TABLE} (kind, model, guild, subject, audience)",
)

SET = "kind = %s AND model = %s"
AMONG = "object_id IN (SELECT value FROM json_each(%s))"

# Embeddings read at once; blocks of 6 MB instead of 1.5 MB made a search half as fast.
BLOCK = 1024


def put(*, kind: str, model: str, rows: Sequence[Row]) -> None:
    """Store the rows' embeddings, scaled to length 1; what was held for an id is replaced."""
    for statement in SHAPE:
        db.run(statement)
    units = [unit(row.embedding) for row in rows]
    _check_sizes(kind, model, units)
    places = [(kind, model, row.id, row.guild, row.subject, row.audience) for row in rows]
    values = ((*place, vector.tobytes()) for place, vector in zip(places, units, strict=True))
    db.run_many(f"INSERT OR REPLACE INTO {TABLE} VALUES (%s, %s, %s, %s, %s, %s, %s)", values)


def _check_sizes(kind: str, model: str, units: list[Vector]) -> None:
    held_sizes = db.select(f"SELECT length(embedding) FROM {TABLE} WHERE {SET} LIMIT 1", [kind, model])
    sizes = {size for (size,) in held_sizes} | {vector.nbytes for vector in units}
    if len(sizes) > 1:
        raise ValueError(f"embeddings of one model must have one size; {model!r} has {sorted(sizes)} bytes")


def delete(*, kind: str, ids: Iterable[int]) -> None:
    """Remove the ids from every model's set of this kind."""
    if db.has_table(TABLE):
        db.run(f"DELETE FROM {TABLE} WHERE kind = %s AND {AMONG}", [kind, db.id_list(ids)])


def move(*, kind: str, ids: Iterable[int], audience: int) -> None:
    """Give the ids another audience."""
    if db.has_table(TABLE):
        db.run(f"UPDATE {TABLE} SET audience = %s WHERE kind = %s AND {AMONG}", [audience, kind, db.id_list(ids)])


def clear() -> None:
    """Forget every embedding."""
    db.run(f"DROP TABLE IF EXISTS {TABLE}")


def held(*, kind: str, model: str) -> set[int]:
    """Return the ids that have an embedding of this model."""
    if not db.has_table(TABLE):
        return set()
    return {each for (each,) in db.select(f"SELECT object_id FROM {TABLE} WHERE {SET}", [kind, model])}


def get(*, kind: str, model: str, ids: Iterable[int]) -> dict[int, Vector]:
    """Return the embeddings (length 1) of the ids that have one."""
    if not db.has_table(TABLE):
        return {}
    found = db.select(
        f"SELECT object_id, embedding FROM {TABLE} WHERE {SET} AND {AMONG}", [kind, model, db.id_list(ids)]
    )
    return {each: np.frombuffer(blob, dtype=np.float32) for each, blob in found}


def has_at_least(count: int, *, kind: str, model: str, guild: int) -> bool:
    """Say whether the guild holds that many embeddings; costs one step of an index for each."""
    sql = f"SELECT 1 FROM {TABLE} WHERE {SET} AND guild = %s LIMIT 1 OFFSET %s"
    return bool(db.select(sql, [kind, model, guild, count - 1]))


def guilds(count: int, *, kind: str, model: str) -> list[int]:
    """Return the guilds that hold at least that many embeddings."""
    if not db.has_table(TABLE):
        return []
    sql = f"SELECT guild FROM {TABLE} WHERE {SET} GROUP BY guild HAVING count(*) >= %s"
    return [guild for (guild,) in db.select(sql, [kind, model, count])]


def of_guild(*, kind: str, model: str, guild: int) -> Iterator[tuple[int, int, int, Vector]]:
    """Yield id, subject, audience and embedding of everything that the guild holds."""
    sql = f"SELECT object_id, subject, audience, embedding FROM {TABLE} WHERE {SET} AND guild = %s"
    for block in db.select_blocks(sql, [kind, model, guild], BLOCK):
        for each, subject, audience, blob in block:
            yield each, subject, audience, np.frombuffer(blob, dtype=np.float32)


def within(*, kind: str, model: str, scope: Scope) -> Iterator[Block]:
    """Yield the scope's embeddings block by block."""
    # Subjects first: a member's embeddings are next to each other in the index.
    return _blocks(
        f"{SET} AND guild = %s", [kind, model, scope.guild], {"subject": scope.subjects, "audience": scope.audiences}
    )


def among(ids: Iterable[int], *, kind: str, model: str, scope: Scope) -> Iterator[Block]:
    """Yield the embeddings of those of the ids that are within the scope."""
    # The plus keeps SQLite from reading the whole guild by the other index.
    lists = {"object_id": ids, "+subject": scope.subjects, "+audience": scope.audiences}
    return _blocks(f"{SET} AND +guild = %s", [kind, model, scope.guild], lists)


def _blocks(condition: str, params: list[object], lists: Mapping[str, Iterable[int] | None]) -> Iterator[Block]:
    if not db.has_table(TABLE):
        return
    limited = {column: db.id_list(allowed) for column, allowed in lists.items() if allowed is not None}
    more = "".join(f" AND {column} IN (SELECT value FROM json_each(%s))" for column in limited)
    sql = f"SELECT object_id, embedding FROM {TABLE} WHERE {condition}{more}"
    for block in db.select_blocks(sql, [*params, *limited.values()], BLOCK):
        floats = np.frombuffer(b"".join(blob for _, blob in block), dtype=np.float32)
        yield [each for each, _ in block], floats.reshape(len(block), -1)
