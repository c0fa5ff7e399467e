"""The one table in which every embedding lives; what an index adds to it is derived from it."""

# ruff: noqa: S608  (the tables' names are constants of the house; every value is a parameter)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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
        PRIMARY KEY (kind, model, object_id))""",
    f"CREATE INDEX IF NOT EXISTS {TABLE}_scope ON {TABLE} (kind, model, guild, subject, audience)",
)

SET = "kind = %s AND model = %s"
AMONG = "object_id IN (SELECT value FROM json_each(%s))"

# 4,096 embeddings of 384 floats are 6 MB: a search of a big guild reads them block by block.
BLOCK = 4096


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


def has_at_least(count: int, *, kind: str, model: str, guild: int | None = None) -> bool:
    """Say whether a set, or one guild's part of it, holds that many embeddings; costs one step of an index for each."""
    if not db.has_table(TABLE):
        return False
    part, params = (" AND guild = %s", [guild]) if guild is not None else ("", [])
    sql = f"SELECT 1 FROM {TABLE} WHERE {SET}{part} LIMIT 1 OFFSET %s"
    return bool(db.select(sql, [kind, model, *params, count - 1]))


def within(*, kind: str, model: str, scope: Scope, ids: Iterable[int] | None = None) -> Iterator[Block]:
    """Yield the scope's embeddings block by block, of these ids only if any are given."""
    if not db.has_table(TABLE):
        return
    lists = {"audience": scope.audiences, "subject": scope.subjects, "object_id": ids}
    limited = {column: db.id_list(allowed) for column, allowed in lists.items() if allowed is not None}
    conditions = "".join(f" AND {column} IN (SELECT value FROM json_each(%s))" for column in limited)
    sql = f"SELECT object_id, embedding FROM {TABLE} WHERE {SET} AND guild = %s{conditions}"
    for block in db.select_blocks(sql, [kind, model, scope.guild, *limited.values()], BLOCK):
        floats = np.frombuffer(b"".join(blob for _, blob in block), dtype=np.float32)
        yield [each for each, _ in block], floats.reshape(len(block), -1)


def everything(*, kind: str, model: str) -> Iterator[tuple[int, int, int, int, Vector]]:
    """Yield id, guild, subject, audience and embedding of a whole set."""
    sql = f"SELECT object_id, guild, subject, audience, embedding FROM {TABLE} WHERE {SET}"
    for block in db.select_blocks(sql, [kind, model], BLOCK):
        for *place, blob in block:
            yield *place, np.frombuffer(blob, dtype=np.float32)
