"""Takes over the embeddings that an earlier release stored in another shape, so that none is asked for again."""

# ruff: noqa: S608  (the tables' names are constants of the house; every value is a parameter)

from __future__ import annotations

import numpy as np

from memoryhub import db
from memoryhub.vectors import front
from memoryhub.vectors.base import Row

# Whole floats of every kind and model in one table.
FORMER = "memoryhub_vectors_v1"
AT_ONCE = 1000


def upgrade() -> int:
    """Move the embeddings of the former table to the present ones; return how many there were."""
    if not db.has_table(FORMER):
        return 0
    sets = db.select(f"SELECT kind, model, count(*) FROM {FORMER} GROUP BY kind, model")
    with db.atomic():
        for kind, model, _ in sets:
            _move(kind, model)
        db.run(f"DROP TABLE {FORMER}")
    return sum(count for *_, count in sets)


def _move(kind: str, model: str) -> None:
    columns = "object_id, guild, subject, audience, embedding"
    sql = (
        f"SELECT {columns} FROM {FORMER} WHERE kind = %s AND model = %s AND object_id > %s ORDER BY object_id LIMIT %s"
    )
    last = -1
    while block := db.select(sql, [kind, model, last, AT_ONCE]):
        front.put(kind=kind, model=model, rows=[_row(*each) for each in block])
        last = block[-1][0]


def _row(each: int, guild: int, subject: int, audience: int, blob: bytes) -> Row:
    embedding = np.frombuffer(blob, dtype=np.float32)
    return Row(id=each, guild=guild, subject=subject, audience=audience, embedding=embedding)
