"""How queries become SQLite's statements: as Django does it, with the guild in every condition."""

from typing import ClassVar

from django.db.models.sql import compiler as stock
from django.db.models.sql.compiler import SQLAggregateCompiler, SQLInsertCompiler

from memoryhub.db.guild_conditions import DeleteInGuild, SelectInGuild, UpdateInGuild

__all__ = ["SQLAggregateCompiler", "SQLCompiler", "SQLDeleteCompiler", "SQLInsertCompiler", "SQLUpdateCompiler"]


class SQLCompiler(SelectInGuild, stock.SQLCompiler):  # type: ignore[misc]
    """Writes a SELECT."""

    before_column: ClassVar[str] = "+"


class SQLUpdateCompiler(UpdateInGuild, stock.SQLUpdateCompiler):  # type: ignore[misc]
    """Writes an UPDATE."""


class SQLDeleteCompiler(DeleteInGuild, stock.SQLDeleteCompiler):
    """Writes a DELETE."""
