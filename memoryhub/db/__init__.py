"""The database below the models: the SQLite backend, what it can do, and raw tables outside Django's models."""

from memoryhub.db.clearing import blocks_of, clear_pages, files, size
from memoryhub.db.raw import (
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
from memoryhub.db.rows import insert
from memoryhub.db.state import can_load_vectors, sqlite_version, why_no_vectors
from memoryhub.db.waiting import LONGEST, patience

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
