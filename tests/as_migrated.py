"""PostgreSQL's tables as the migrations left them, after a test that is not rolled back.

Django's own way there makes every table and index anew and then asks all apps what belongs in them: a tenth of a second
for each such test, and there are hundreds.
"""

from __future__ import annotations

from typing import Any

from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.test import TransactionTestCase

CONSTANT = {"django_content_type", "auth_permission", MigrationRecorder.Migration._meta.db_table}


def begin() -> None:
    """Remember what is in the tables now, and go back to it after each test."""
    tables = sorted({*connection.introspection.django_table_names(only_existing=True)} - CONSTANT)
    with connection.cursor() as cursor:
        kept = {table: rows for table in tables if (rows := _rows(cursor, table))}
    TransactionTestCase._fixture_teardown = lambda _case: _go_back(tables, kept)


def _rows(cursor: Any, table: str) -> list[tuple[Any, ...]]:
    cursor.execute(f'SELECT * FROM "{table}"')
    return cursor.fetchall()


def _go_back(tables: list[str], kept: dict[str, list[tuple[Any, ...]]]) -> None:
    emptied = "; ".join(f'DELETE FROM "{table}"' for table in tables)
    with transaction.atomic(), connection.cursor() as cursor:
        # No trigger looks for what points at a deleted row: it goes as well.
        cursor.execute(f"SET LOCAL session_replication_role = replica; {emptied}")
        for table, rows in kept.items():
            marks = ", ".join(["%s"] * len(rows[0]))
            cursor.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
