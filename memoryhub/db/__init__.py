"""The database below the models: the SQLite backend, what it can do, and raw tables outside Django's models."""

from django.db.transaction import atomic

from memoryhub.db.fast_insert import insert
from memoryhub.db.open_connection import (
    SOON,
    answer_soon,
    can_load_vectors,
    sqlite_version,
    wait_at_most,
    why_no_vectors,
)
from memoryhub.db.raw_sql import (
    from_column,
    has_table,
    id_list,
    run,
    run_many,
    run_many_if_table,
    select,
    select_blocks,
    select_if_table,
    to_column,
)
from memoryhub.db.secure_delete import clear_deleted, files, read_blocks, size

__all__ = [
    "SOON",
    "answer_soon",
    "atomic",
    "can_load_vectors",
    "clear_deleted",
    "files",
    "from_column",
    "has_table",
    "id_list",
    "insert",
    "read_blocks",
    "run",
    "run_many",
    "run_many_if_table",
    "select",
    "select_blocks",
    "select_if_table",
    "size",
    "sqlite_version",
    "to_column",
    "wait_at_most",
    "why_no_vectors",
]
