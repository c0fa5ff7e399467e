"""What the database is stored in, as far as it can be seen from here, and what was deleted taken out of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.apps import apps
from django.db import connection

from memoryhub.db.backend import dialect

INDEXES, THINGS = "memoryhub_", {"id", "object_id"}
NO_TEXT = {
    "bigint", "bool", "boolean", "date", "datetime", "double precision", "integer", "integer unsigned", "real",
    "smallint", "smallint unsigned", "timestamp with time zone",
}  # fmt: skip
"""Types of columns that hold numbers and moments, as the databases call them."""


def files() -> list[Path]:
    """Return the database's files that there are; none where a server keeps them."""
    return dialect().files()


def read_blocks(path: Path, size: int) -> Iterator[bytes]:
    """Yield the bytes of a file of the database in blocks; nothing where it is gone."""
    return dialect().read_blocks(path, size)


def tables() -> list[str]:
    """Return the names of all tables that rows are stored in, those of the indexes included."""
    return dialect().tables()


def tables_with(column: str) -> list[str]:
    """Return the names of the indexes' tables, no models, whose rows stand for a thing and have this column."""
    models = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    found = []
    with connection.cursor() as cursor:
        for name in [*dialect().tables(), *dialect().virtual_tables()]:
            if name.startswith(INDEXES) and name not in models:
                columns = {each.name for each in connection.introspection.get_table_description(cursor, name)}
                found += [name] if column in columns and columns & THINGS else []
    return found


def columns_with_text(table: str) -> list[str]:
    """Return the table's columns that may hold texts or bytes, quoted; those without a type may."""
    return [connection.ops.quote_name(name) for name, kind in dialect().columns(table) if kind not in NO_TEXT]


def unseen() -> list[str]:
    """Return where deleted rows may still be that nobody can look at from here, in words for a receipt."""
    return dialect().unseen()


def size() -> int:
    """Return the bytes that the database takes."""
    return dialect().size()


def settle() -> None:
    """Have everything written back, and known how many rows there are of what, as else a while after much was stored.

    Until it knows, PostgreSQL looks for a row of a big new table in all of the guild's. Call it outside a transaction.
    """
    dialect().settle()


def clear_deleted(*, rewrite: bool) -> bool:
    """Take what was deleted out of the database's storage, and `rewrite` it where that is needed for it.

    False where that can't be: inside a transaction, while somebody reads from before it, without the right to.
    """
    return dialect().clear_deleted(rewrite=rewrite)
