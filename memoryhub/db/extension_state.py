"""Whether this process's database connection has the vector extension, and if not, why."""

from __future__ import annotations

from django.db import Error, connection


def can_load_vectors() -> bool:
    """Say whether `vec0` tables can be used on the connection of this thread (opens it when it is closed)."""
    return not why_no_vectors()


def sqlite_version() -> tuple[int, ...]:
    """Return the version of the SQLite behind the connection, which need not be the one of Python's own module."""
    connection.ensure_connection()
    with connection.cursor() as cursor:
        cursor.execute("SELECT sqlite_version()")
        (found,) = cursor.fetchone()
    return tuple(int(part) for part in found.split("."))


def why_no_vectors() -> str:
    """Return an operator's sentence on why there is no vector extension; empty when there is one."""
    try:
        connection.ensure_connection()
    except Error as error:
        return f"the database cannot be opened ({error})"
    reason: str = getattr(connection, "vector_trouble", "the database engine is not memoryhub.db.sqlitevec")
    return reason
