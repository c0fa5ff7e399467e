"""How models become PostgreSQL's tables: the keys of a guild's table begin with the guild.

So the tables can be cut by guild, into parts or over many nodes: both want the guild in every key. To Django a row is
known by its `id` alone, which has an index of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.backends.ddl_references import Columns, Statement
from django.db.backends.postgresql import schema as stock
from django.db.models import Field, Model

from memoryhub.db.guild_scope import COLUMN, is_of_a_guild


class DatabaseSchemaEditor(stock.DatabaseSchemaEditor):
    """Django's, with the guild in primary keys, in foreign keys between tables of guilds, and in what is unique."""

    sql_create_column_inline_fk = None  # type: ignore[assignment]  # of one column only; a key that is added later comes by a statement of its own

    def table_sql(self, model: type[Model]) -> tuple[str, Any]:
        """Return the statement that makes the table."""
        sql, params = super().table_sql(model)
        if not is_of_a_guild(model):
            return sql, params
        name, meta, number = self.quote_name, model._meta, str(model._meta.pk.column)
        keys = [f"PRIMARY KEY ({name(COLUMN)}, {name(number)})"]
        for field in meta.local_fields:
            if field.unique and not field.primary_key and field.column != COLUMN:
                keys.append(f"UNIQUE ({name(str(field.column))}, {name(COLUMN)})")
        alone = self._create_index_name(  # type: ignore[attr-defined]
            meta.db_table, [number], suffix="_alone"
        )
        self.deferred_sql.append(Statement(f"CREATE INDEX {name(alone)} ON {name(meta.db_table)} ({name(number)})"))
        return f"{sql.removesuffix(')')}, {', '.join(keys)})", params

    def _iter_column_sql(
        self, column_db_type: str, params: Any, model: type[Model], field: Field[Any, Any], *others: Any
    ) -> Iterator[str]:
        """Leave the keys that hold the guild to the end of the table."""
        for part in super()._iter_column_sql(column_db_type, params, model, field, *others):  # type: ignore[misc]
            if part not in ("PRIMARY KEY", "UNIQUE") or not is_of_a_guild(model) or field.column == COLUMN:
                yield part

    def _create_fk_sql(self, model: type[Model], field: Any, suffix: str) -> Statement:
        sql: Statement = super()._create_fk_sql(model, field, suffix)  # type: ignore[misc]
        target = field.target_field.model
        if is_of_a_guild(model) and is_of_a_guild(target):
            for part, table, column in (
                ("column", model._meta.db_table, field.column),
                ("to_column", target._meta.db_table, field.target_field.column),
            ):
                sql.parts[part] = Columns(table, [COLUMN, column], self.quote_name)
        return sql
