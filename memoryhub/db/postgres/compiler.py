"""How queries become PostgreSQL's statements: as Django does it, with the guild in every condition."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import compiler as stock
from django.db.backends.postgresql.compiler import SQLAggregateCompiler, SQLInsertCompiler

from memoryhub.db.guild_conditions import DeleteInGuild, SelectInGuild, UpdateInGuild

__all__ = ["SQLAggregateCompiler", "SQLCompiler", "SQLDeleteCompiler", "SQLInsertCompiler", "SQLUpdateCompiler"]


class SQLCompiler(SelectInGuild, stock.SQLCompiler):  # type: ignore[misc]
    """Writes a SELECT; rows without a value come first going up and last going down, as in SQLite."""

    def get_order_by(self) -> list[Any]:
        """Say where nulls go, where a column can hold them and nobody said it."""
        ordered: list[Any] = super().get_order_by()
        return [self._with_nulls(*each) for each in ordered]

    def _with_nulls(self, order: Any, compiled: tuple[str, Any, bool]) -> tuple[Any, tuple[str, Any, bool]]:
        sql, params, is_ref = compiled
        column = getattr(order.expression, "target", None)
        said = order.nulls_first or order.nulls_last
        if column is None or said or not column.null or not sql.endswith((" ASC", " DESC")):
            return order, compiled
        return order, (f"{sql} NULLS {'LAST' if order.descending else 'FIRST'}", params, is_ref)


class SQLUpdateCompiler(UpdateInGuild, stock.SQLUpdateCompiler):  # type: ignore[misc]
    """Writes an UPDATE."""


class SQLDeleteCompiler(DeleteInGuild, stock.SQLDeleteCompiler):
    """Writes a DELETE."""
