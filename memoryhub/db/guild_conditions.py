"""Django's compilers of queries, which write the guild into every condition on a table that belongs to guilds.

Each database has a module of compilers that mixes this in before Django's own.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models.expressions import Col
from django.db.models.lookups import Exact
from django.db.models.sql.datastructures import Join
from django.db.models.sql.where import AND, WhereNode

from memoryhub.db.guild_scope import COLUMN, columns, current, inside


class InGuild(Exact):
    """A row is the guild's."""

    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        """Hide the column from SQLite's planner, which keeps no figures: the condition beside it is narrower."""
        sql, params = self.as_sql(compiler, connection)
        return f"+{sql}", params


class GuildConditions:
    """What is common to the compilers of both databases; `before_column` hides a joined column from a planner."""

    before_column: ClassVar[str] = ""
    query: Any
    quote_name_unless_alias: Any

    def of_the_guild(self, alias: str | None, query: Any, where: Any) -> Any:
        """Return a condition, narrowed to the guild in which this thread works."""
        guild = current()
        if guild is None or alias is None or query.combinator:
            return where
        column = columns().get(query.alias_map[alias].table_name)
        if column is None:
            return where
        own: Any = InGuild(Col(alias, column), guild)
        return WhereNode([own, where] if where else [own], AND)

    def compile(self, node: Any) -> tuple[str, Any]:
        """Write a piece of a statement; what is joined to a row of a guild is of the same guild."""
        sql, params = super().compile(node)  # type: ignore[misc]
        if isinstance(node, Join) and node.table_name in columns():
            parent = self.query.alias_map.get(node.parent_alias)
            if parent is not None and parent.table_name in columns():
                name = self.quote_name_unless_alias
                one, other = (
                    f"{self.before_column}{name(alias)}.{name(COLUMN)}"
                    for alias in (node.table_alias, node.parent_alias)
                )
                sql = f"{sql[:-1]} AND {one} = {other})"
        return sql, params


class SelectInGuild(GuildConditions):
    """Looks for rows of the guild only."""

    where: Any

    def pre_sql_setup(self, **options: Any) -> Any:
        """Narrow what is asked for; the query itself stays as it is, and may be asked again elsewhere."""
        pieces = super().pre_sql_setup(**options)  # type: ignore[misc]
        first = next((alias for alias in self.query.alias_map if self.query.alias_refcount[alias]), None)
        self.where = self.of_the_guild(first, self.query, self.where)
        return pieces


class UpdateInGuild(GuildConditions):
    """Changes rows of the guild only."""

    def pre_sql_setup(self) -> None:
        """Narrow what is changed."""
        super().pre_sql_setup()  # type: ignore[misc]
        guild = current() or self._guild_of_saved()
        with inside(guild):
            self.query.where = self.of_the_guild(self.query.base_table, self.query, self.query.where)
        self.query.values = [each for each in self.query.values if not self._stays(each, guild)] or self.query.values

    def _stays(self, value: Any, guild: int | None) -> bool:
        """Say whether a value is the guild that is asked for: Citus lets nobody write it, and sees no parameters."""
        field, _, new = value
        return field.column == COLUMN and new == guild and self.query.base_table in columns()

    def _guild_of_saved(self) -> int | None:
        """Return the guild of a row that is saved whole, in which it stays: the row itself says it."""
        children = self.query.where.children
        one_row = len(children) == 1 and getattr(getattr(children[0], "lhs", None), "target", None) is self._key
        guilds = [value for field, _, value in self.query.values if field.column == COLUMN and isinstance(value, int)]
        return guilds[0] if one_row and guilds else None

    @property
    def _key(self) -> Any:
        return self.query.get_meta().pk


class DeleteInGuild(GuildConditions):
    """Deletes rows of the guild only."""

    def _as_sql(self, query: Any) -> Any:
        query = query.clone()
        query.where = self.of_the_guild(query.get_initial_alias(), query, query.where)
        return super()._as_sql(query)  # type: ignore[misc]
