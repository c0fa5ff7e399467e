"""Cuts the tables of guilds by guild: over the nodes of a Citus cluster, or into partitions of one PostgreSQL.

A plan is made of a database as it is; the same statements are shown or run. They run in one transaction: a plan that
is interrupted has changed nothing. Nobody can use the tables meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import connection, transaction

from memoryhub.db.guild_scope import columns

EVERYWHERE = ("community_guild", "community_tombstone", "memoryhub_apikey")
"""Small tables of the hub that each node holds whole; the hub's others stay on the node that the hub talks to."""
# ruff: noqa: S608  (names of tables and columns, as the database itself tells them)
OF_GUILDS = """SELECT class.relname, attribute.attname, class.relkind,
        coalesce(array_to_string(class.reloptions, ', '), '')
    FROM pg_class AS class JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid
    WHERE class.relnamespace = current_schema()::regnamespace AND class.relkind IN ('r', 'p')
        AND NOT class.relispartition AND attribute.attname IN ('guild', 'guild_id') AND attribute.attnotnull
        AND attribute.atttypid = 'bigint'::regtype ORDER BY class.relname"""
FOREIGN = """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE contype = 'f' AND conparentid = 0
        AND (conrelid::regclass::text = ANY(%s) OR confrelid::regclass::text = ANY(%s)) ORDER BY 1, 2"""
KEYS = """SELECT format('ALTER TABLE %%I ADD CONSTRAINT %%I %%s', %s::text, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE conrelid = %s::regclass AND contype IN ('p', 'u') ORDER BY contype, conname"""
INDEXES = """SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = %s::regclass
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u')) ORDER BY 1"""
COLUMNS = """SELECT quote_ident(attname), attidentity <> '' FROM pg_attribute
    WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum"""
PRIMARY = "SELECT 1 FROM pg_index WHERE indrelid = %s::regclass AND indisprimary"
NUMBERED = """SELECT quote_ident(relname), quote_ident(attname)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND attidentity <> '' AND NOT attisdropped ORDER BY 1"""
LOCKS = """SELECT current_setting('max_locks_per_transaction')::bigint
    * (current_setting('max_connections')::bigint + current_setting('max_prepared_transactions')::bigint)"""


class NotSpread(Exception):
    """The tables cannot be spread; says why and what to do."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of guilds, by the column that names the guild."""

    name: str
    guild: str
    cut: bool
    options: str


@dataclass(frozen=True)
class Step:
    """Something to do, in an operator's words, and how."""

    what: str
    statements: tuple[str, ...]


def guild_tables() -> list[Table]:
    """Return the tables of guilds: those of models, and those of words and vectors."""
    models = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    distributed = _distributed()
    return [
        Table(name=name, guild=guild, cut=kind == "p" or name in distributed, options=options)
        for name, guild, kind, options in _ask(OF_GUILDS)
        if name in columns() or name not in models
    ]


def plan_partitions(count: int) -> list[Step]:
    """Return how to cut each table that is whole into so many hash partitions; raises NotSpread."""
    if not 2 <= count <= 1024:
        raise NotSpread("Write a number of partitions from 2 to 1024; 16 suits most servers.")
    tables = [table for table in guild_tables() if not table.cut]
    if not tables:
        raise NotSpread("Every table of guilds is cut by guild already. Nothing was changed.")
    if _distributed():
        raise NotSpread("Citus spreads these tables already; it needs no partitions. Nothing was changed.")
    _require_locks(sum((1 + len(_indexes(table.name))) * (count + 1) for table in tables))
    return _around_foreign_keys([table.name for table in tables], [_partition(table, count) for table in tables])


def plan_citus(shards: int) -> list[Step]:
    """Return how to spread the tables over the nodes of a Citus cluster; raises NotSpread."""
    if not _ask("SELECT 1 FROM pg_extension WHERE extname = 'citus'"):
        raise NotSpread(
            "This database has no Citus. Install the extension on every node, add `citus` to "
            "shared_preload_libraries, and run CREATE EXTENSION citus here; or cut the tables of this one server: "
            "`manage.py distribute --partitions 16`."
        )
    tables = [table for table in guild_tables() if not table.cut]
    if not tables:
        raise NotSpread("Every table of guilds is distributed already. Nothing was changed.")
    if any(table.cut and table.name not in _distributed() for table in guild_tables()):
        raise NotSpread(
            "Some tables are cut into partitions. Move the memory to an empty database, and distribute that."
        )
    whole = [name for name in EVERYWHERE if name not in _distributed()]
    steps = [Step(f"{name}: a copy on every node", (f"SELECT create_reference_table('{name}')",)) for name in whole]
    first = next((table for table in guild_tables() if table.cut), tables[0])
    for table in tables:
        beside = f"colocate_with => '{first.name}'" if table != first else f"shard_count => {shards:d}"
        sql = f"SELECT create_distributed_table('{table.name}', '{table.guild}', {beside})"
        # Else a shard of a table without a primary key cannot be moved while rows come in.
        told = () if _ask(PRIMARY, table.name) else (f'ALTER TABLE "{table.name}" REPLICA IDENTITY FULL',)
        steps.append(Step(f"{table.name}: spread by {table.guild}", (*told, sql)))
    order = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'"
    around = _around_foreign_keys([*whole, *(table.name for table in tables)], steps)
    return [Step("one after the other", (order,)), *around, Step("the numbers of rows go on", _counters())]


def _counters() -> tuple[str, ...]:
    """Return what has new rows numbered behind those that are there: Citus begins again where it takes a table over."""
    return tuple(
        f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), coalesce(max({column}), 0) + 1, false) "
        f"FROM {table}"
        for table, column in _ask(NUMBERED)
    )


def run(steps: list[Step], *, progress: Callable[[str], None]) -> None:
    """Do all of it, or nothing."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for step in steps:
            progress(step.what)
            for statement in step.statements:
                cursor.execute(statement)


def _partition(table: Table, count: int) -> Step:
    """Return how to put a table of the same name, keys, indexes and rows, cut by guild, in the place of a whole one."""
    name, whole = table.name, f"{table.name[:56]}__whole"
    found = _ask(COLUMNS, name)
    listed, identities = ", ".join(column for column, _ in found), [column for column, identity in found if identity]
    digits = len(str(count - 1))
    options = f" WITH ({table.options})" if table.options else ""
    counters = (
        f"SELECT setval(pg_get_serial_sequence('{name}', '{column}'), last_value, is_called) "
        f"FROM {_sequence(name, column)}"
        for column in identities
    )
    return Step(
        f"{name}: {count} partitions by {table.guild}",
        (
            f'ALTER TABLE "{name}" RENAME TO "{whole}"',
            f'CREATE TABLE "{name}" (LIKE "{whole}" INCLUDING ALL EXCLUDING INDEXES) PARTITION BY HASH ({table.guild})',
            *(
                f'CREATE TABLE "{name[:56]}_p{part:0{digits}}" PARTITION OF "{name}" '
                f"FOR VALUES WITH (MODULUS {count}, REMAINDER {part}){options}"
                for part in range(count)
            ),
            f'INSERT INTO "{name}" ({listed}) OVERRIDING SYSTEM VALUE SELECT {listed} FROM "{whole}"',
            *counters,
            f'DROP TABLE "{whole}"',
            *_indexes(name),
            f'ANALYZE "{name}"',
        ),
    )


def _sequence(table: str, column: str) -> str:
    ((name,),) = _ask("SELECT pg_get_serial_sequence(%s, %s)", table, column)
    return str(name)


def _indexes(name: str) -> list[str]:
    """Return the statements that make the keys and indexes of a table."""
    return [sql for (sql,) in (*_ask(KEYS, name, name), *_ask(INDEXES, name))]


def _around_foreign_keys(names: list[str], steps: list[Step]) -> list[Step]:
    """Take the foreign keys of these tables away first, and make them again at the end: every row is looked at."""
    keys = _ask(FOREIGN, names, names)
    dropped = tuple(f'ALTER TABLE {table} DROP CONSTRAINT "{key}"' for table, key, _ in keys)
    added = tuple(f'ALTER TABLE {table} ADD CONSTRAINT "{key}" {rule}' for table, key, rule in keys)
    locked = f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE"
    return [
        Step(f"{len(names)} tables are locked, {len(keys)} foreign keys taken away", (locked, *dropped)),
        *steps,
        Step(f"{len(keys)} foreign keys made again", added),
    ]


def _require_locks(wanted: int) -> None:
    ((most,),) = _ask(LOCKS)
    if wanted > most * 0.8:
        each = -(-wanted * 64 // most) * 2
        raise NotSpread(
            f"So many partitions take {wanted} locks at once, and this server has {most}. Raise its "
            f"max_locks_per_transaction to {each} and restart it, or take fewer partitions."
        )


def _distributed() -> set[str]:
    """Return the tables that Citus knows; none without Citus."""
    if not _ask("SELECT 1 FROM pg_extension WHERE extname = 'citus'"):
        return set()
    return {
        name for (name,) in _ask("SELECT logicalrelid::regclass::text FROM pg_dist_partition WHERE partmethod <> 'x'")
    }


def _ask(sql: str, *params: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params or None)
        found: list[Any] = cursor.fetchall()
        return found
