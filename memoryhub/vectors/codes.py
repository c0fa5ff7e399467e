"""Sign codes of embeddings in sqlite-vec tables, one table for each kind and model, kept in step with the store."""

# ruff: noqa: S608  (the tables' names are constants of the house; every value is a parameter)

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from memoryhub import db
from memoryhub.vectors import store
from memoryhub.vectors.base import Row, Vector, unit

# One row for each kind and model that has codes: the mean that is taken off before the signs are.
TABLE = "memoryhub_vector_codes_v1"
SHAPE = f"""CREATE TABLE IF NOT EXISTS {TABLE} (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, model TEXT NOT NULL, mean BLOB NOT NULL, UNIQUE (kind, model))"""

# Below this many embeddings the exact search is as quick, and no codes are kept.
CODES_FROM = 2000

# Embeddings that the mean is taken of.
MEAN_OF = 20_000

# sqlite-vec allocates the codes of a guild in whole chunks: this many codes of 48 bytes.
CHUNK = 256


@dataclass(frozen=True)
class Codes:
    """The table that holds one set's codes, and the mean of the set's embeddings when it was built."""

    table: str
    mean: Vector

    def of(self, embedding: Vector) -> bytes:
        """Return one bit a dimension: on which side of the mean the embedding lies.

        e5's embeddings point into one narrow cone: without the mean most signs would be the same for all of them.
        """
        return np.packbits(embedding > self.mean, bitorder="little").tobytes()


def find(*, kind: str, model: str) -> Codes | None:
    """Return the codes of a set; None when it has none (too few embeddings, or no extension when they were written)."""
    if not db.has_table(TABLE):
        return None
    found = db.select(f"SELECT id, mean FROM {TABLE} WHERE kind = %s AND model = %s", [kind, model])
    return next((Codes(f"{TABLE}_{each}", np.frombuffer(mean, dtype=np.float32)) for each, mean in found), None)


def put(*, kind: str, model: str, rows: Sequence[Row]) -> None:
    """Code rows that the store has just taken; the first time a set is big enough, code all of it."""
    codes = find(kind=kind, model=model)
    if not db.can_load_vectors():
        drop(kind=kind)
    elif codes is not None:
        # sqlite-vec knows no REPLACE: what is there goes first.
        db.run_many(f"DELETE FROM {codes.table} WHERE object_id = %s", [(row.id,) for row in rows])
        _insert(codes, ((row.id, row.guild, row.subject, row.audience, unit(row.embedding)) for row in rows))
    elif store.has_at_least(CODES_FROM, kind=kind, model=model):
        build(kind=kind, model=model)


def delete(*, kind: str, ids: Iterable[int]) -> None:
    """Remove the codes of the ids, whichever model they are of."""
    _change(kind, "DELETE FROM {table} WHERE object_id = %s", [(each,) for each in ids])


def move(*, kind: str, ids: Iterable[int], audience: int) -> None:
    """Give the codes of the ids another audience."""
    _change(kind, "UPDATE {table} SET audience = %s WHERE object_id = %s", [(audience, each) for each in ids])


def drop(*, kind: str) -> None:
    """Disown the codes of a kind: without the extension they can't follow the store, and would go stale."""
    if db.has_table(TABLE):
        db.run(f"DELETE FROM {TABLE} WHERE kind = %s", [kind])


def clear() -> None:
    """Forget all codes."""
    if db.has_table(TABLE) and db.can_load_vectors():
        for (each,) in db.select(f"SELECT id FROM {TABLE}"):
            db.run(f"DROP TABLE IF EXISTS {TABLE}_{each}")
    db.run(f"DROP TABLE IF EXISTS {TABLE}")


def build(*, kind: str, model: str) -> None:
    """Code a whole set anew, around the mean that its embeddings have now."""
    first = [embedding for *_, embedding in islice(store.everything(kind=kind, model=model), MEAN_OF)]
    if not first:
        return
    codes = _new_table(kind, model, np.mean(first, axis=0, dtype=np.float32))
    _insert(codes, store.everything(kind=kind, model=model))


def _new_table(kind: str, model: str, mean: Vector) -> Codes:
    db.run(SHAPE)
    db.run(f"INSERT OR REPLACE INTO {TABLE} (kind, model, mean) VALUES (%s, %s, %s)", [kind, model, mean.tobytes()])
    ((number,),) = db.select(f"SELECT id FROM {TABLE} WHERE kind = %s AND model = %s", [kind, model])
    codes = Codes(f"{TABLE}_{number}", mean)
    # A set that was disowned may have left its table under this number.
    db.run(f"DROP TABLE IF EXISTS {codes.table}")
    db.run(
        f"""CREATE VIRTUAL TABLE {codes.table} USING vec0(
            object_id INTEGER PRIMARY KEY, guild INTEGER PARTITION KEY, subject INTEGER, audience INTEGER,
            code bit[{len(codes.of(mean)) * 8}], chunk_size={CHUNK})"""
    )
    return codes


def _change(kind: str, statement: str, rows: list[tuple[int, ...]]) -> None:
    if not db.can_load_vectors():
        drop(kind=kind)
    elif db.has_table(TABLE):
        _change_all(kind, statement, rows)


def _change_all(kind: str, statement: str, rows: list[tuple[int, ...]]) -> None:
    for (number,) in db.select(f"SELECT id FROM {TABLE} WHERE kind = %s", [kind]):
        db.run_many(statement.format(table=f"{TABLE}_{number}"), rows)


def _insert(codes: Codes, rows: Iterable[tuple[int, int, int, int, Vector]]) -> None:
    values = ((*place, codes.of(embedding)) for *place, embedding in rows)
    sql = f"INSERT INTO {codes.table} (object_id, guild, subject, audience, code) VALUES (%s, %s, %s, %s, vec_bit(%s))"
    db.run_many(sql, values)
