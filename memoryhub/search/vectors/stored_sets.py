"""Which sets of embeddings there are, and how big: asked alike of both databases."""

# ruff: noqa: S608  (the tables' names are made by the house)

from __future__ import annotations

from memoryhub import db
from memoryhub.search.vectors.vector_types import SETS, table_of


def sets() -> list[tuple[str, str]]:
    """Return the kind and the model of every set."""
    return [(kind, model) for kind, model in db.select_if_table(f"SELECT kind, model FROM {SETS} ORDER BY 1, 2")]


def count(*, kind: str, model: str) -> int:
    """Return how many embeddings a set holds."""
    ((held,),) = db.select(f"SELECT count(*) FROM {table_of(kind, model)}")
    return int(held)
