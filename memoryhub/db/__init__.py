"""The database below the models: the SQLite backend, what it can do, and raw tables outside Django's models."""

from memoryhub.db.busy_timeout import LONGEST, patience
from memoryhub.db.extension_state import can_load_vectors, sqlite_version, why_no_vectors
from memoryhub.db.fast_insert import insert
from memoryhub.db.raw_sql import (
    atomic,
    has_table,
    id_list,
    moment,
    run,
    run_many,
    run_many_there,
    select,
    select_blocks,
    select_there,
    stamp,
)
from memoryhub.db.secure_delete import blocks_of, clear_pages, files, size

__all__ = [
    "LONGEST",
    "atomic",
    "blocks_of",
    "can_load_vectors",
    "clear_pages",
    "files",
    "has_table",
    "id_list",
    "insert",
    "moment",
    "patience",
    "run",
    "run_many",
    "run_many_there",
    "select",
    "select_blocks",
    "select_there",
    "size",
    "sqlite_version",
    "stamp",
    "why_no_vectors",
]
