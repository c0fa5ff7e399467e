"""Short codes of the embeddings of big guilds, in sqlite-vec tables that are kept in step with the store."""

from __future__ import annotations

# ruff: noqa: S608  (the tables' names are made by the house; every value is a parameter)
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter

import numpy as np

from memoryhub import db
from memoryhub.search.vectors import store
from memoryhub.search.vectors.vector_types import Vector, VectorRow, table_of, unit

# One row for each kind, model and guild that has codes.
TABLE = "memoryhub_vector_codes_v1"
SHAPE = f"""CREATE TABLE IF NOT EXISTS {TABLE} (
    kind TEXT NOT NULL, model TEXT NOT NULL, guild INTEGER NOT NULL, marks BLOB NOT NULL,
    PRIMARY KEY (kind, model, guild))"""

# A smaller guild is searched as fast without codes.
CODES_FROM = 1000

# Embeddings of the guild that its marks are taken from.
MARKED_BY = 10_000

# Distance of the outer marks from the mean, in standard deviations.
OUTER_MARK = 0.8

# Codes that are compared exactly for each match wanted: of 100,000, recall@10 is 0.99. Who wants many wants the best of
# them surely, and of the rest most.
OVERSAMPLE, OVERSAMPLED, OF_MANY = 16, 24, 4

# sqlite-vec allocates the codes of a guild in whole chunks of this many: 1,024 codes of 144 bytes.
CHUNK = 1024


@dataclass(frozen=True)
class Codes:
    """Where one guild's codes are, and the marks (3 x dimensions, packed) that they are made with."""

    kind: str
    model: str
    guild: int
    packed: bytes

    @property
    def table(self) -> str:
        """Return the name of the table that they are in."""
        return table_of(self.kind, self.model, TABLE)

    @property
    def marks(self) -> Vector:
        """Return the marks, a row each."""
        return np.frombuffer(self.packed, dtype=np.float32).reshape(3, -1)

    def of(self, embedding: Vector) -> bytes:
        """Return three bits a dimension: which of its marks it lies above; bits that differ count steps between two.

        e5's embeddings point into one narrow cone, so the marks stand around the guild's own mean: plain signs
        find half of the neighbours, signs around the mean 98 %, three marks 99.9 % (10 among 160 codes of 10,000).
        """
        return np.packbits(embedding > self.marks).tobytes()


def compared(limit: int) -> int:
    """Return how many of the nearest codes are compared exactly where so many matches are wanted."""
    return max(OVERSAMPLE * min(limit, OVERSAMPLED), OF_MANY * limit)


def find(*, kind: str, model: str, guild: int) -> Codes | None:
    """Return the guild's codes; None when it has none: it is small, or was written without the extension."""
    sql = f"SELECT marks FROM {TABLE} WHERE kind = %s AND model = %s AND guild = %s"
    found = db.select_if_table(sql, [kind, model, guild])
    return Codes(kind, model, guild, found[0][0]) if found else None


def put(*, kind: str, model: str, rows: Sequence[VectorRow]) -> None:
    """Code rows that the store has just taken; a guild that has grown big is coded as a whole."""
    # sqlite-vec knows no REPLACE: what is there goes first, also when a row comes from another guild.
    delete(kind=kind, ids=[row.id for row in rows])
    if not db.can_load_vectors():
        return
    by_guild = attrgetter("guild")
    for guild, its_rows in groupby(sorted(rows, key=by_guild), by_guild):
        if codes := find(kind=kind, model=model, guild=guild):
            _insert(codes, guild, ((row.id, row.subject, row.audience, unit(row.embedding)) for row in its_rows))
        elif store.has_at_least(CODES_FROM, kind=kind, model=model, guild=guild):
            _build(kind, model, guild)


def delete(*, kind: str, ids: Iterable[int]) -> None:
    """Remove the codes of the ids, whichever model they are of."""
    _change(kind, "DELETE FROM {table} WHERE object_id = %s", [(each,) for each in ids])


def move(*, kind: str, ids: Iterable[int], audience: int) -> None:
    """Give the codes of the ids another audience."""
    _change(kind, "UPDATE {table} SET audience = %s WHERE object_id = %s", [(audience, each) for each in ids])


def clear() -> None:
    """Forget all codes."""
    if db.has_table(TABLE) and db.can_load_vectors():
        for kind, model in db.select(f"SELECT DISTINCT kind, model FROM {TABLE}"):
            db.run(f"DROP TABLE IF EXISTS {table_of(kind, model, TABLE)}")
    db.run(f"DROP TABLE IF EXISTS {TABLE}")


def sets() -> list[tuple[str, str]]:
    """Return the kinds and models that have codes."""
    return [(kind, model) for kind, model in db.select_if_table(f"SELECT DISTINCT kind, model FROM {TABLE}")]


def rebuild(*, kind: str, model: str) -> None:
    """Code the big guilds of a set anew, around the means that they have now."""
    if db.has_table(TABLE):
        db.run(f"DELETE FROM {TABLE} WHERE kind = %s AND model = %s", [kind, model])
    for guild in store.guilds(CODES_FROM, kind=kind, model=model):
        _build(kind, model, guild)


def _build(kind: str, model: str, guild: int) -> None:
    rows = store.of_guild(kind=kind, model=model, guild=guild)
    sample = np.vstack([embedding for *_, embedding in islice(rows, MARKED_BY)])
    mean, step = sample.mean(axis=0), OUTER_MARK * sample.std(axis=0).mean()
    codes = Codes(kind, model, guild, np.vstack([mean - step, mean, mean + step]).astype(np.float32).tobytes())
    db.run(SHAPE)
    if not db.select(f"SELECT 1 FROM {TABLE} WHERE kind = %s AND model = %s LIMIT 1", [kind, model]):
        # Left over from codes that were disowned: they did not follow the store.
        db.run(f"DROP TABLE IF EXISTS {codes.table}")
    db.run(
        f"""CREATE VIRTUAL TABLE IF NOT EXISTS {codes.table} USING vec0(
            object_id INTEGER PRIMARY KEY, guild INTEGER PARTITION KEY, subject INTEGER, audience INTEGER,
            code bit[{8 * len(codes.of(codes.marks[0]))}], chunk_size={CHUNK})"""
    )
    db.run(f"INSERT INTO {TABLE} VALUES (%s, %s, %s, %s)", [kind, model, guild, codes.packed])
    _insert(codes, guild, store.of_guild(kind=kind, model=model, guild=guild))


def _insert(codes: Codes, guild: int, rows: Iterable[tuple[int, int, int, Vector]]) -> None:
    values = ((each, guild, subject, audience, codes.of(embedding)) for each, subject, audience, embedding in rows)
    sql = f"INSERT INTO {codes.table} (object_id, guild, subject, audience, code) VALUES (%s, %s, %s, %s, vec_bit(%s))"
    db.run_many(sql, values)


def _change(kind: str, statement: str, rows: list[tuple[int, ...]]) -> None:
    models = db.select_if_table(f"SELECT DISTINCT model FROM {TABLE} WHERE kind = %s", [kind])
    if models and not db.can_load_vectors():
        # The codes can't follow the store now; disowned, they are never asked, and made anew when they can.
        db.run(f"DELETE FROM {TABLE} WHERE kind = %s", [kind])
        return
    for (model,) in models:
        db.run_many(statement.format(table=table_of(kind, model, TABLE)), rows)
