"""Says in an operator's words what befell the database: SQLite has few exceptions for all that can befall a file."""

from __future__ import annotations

import errno
import shutil

from django.conf import settings
from django.db import DatabaseError, OperationalError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
ROOM = 1 << 20  # bytes; below, a file that can't be made or grown says that the disk is full
UNCLEAR = ("disk i/o error", "unable to open")
MEANINGS = {
    "malformed": "The database file is damaged. Stop the hub and put a backup back: `manage.py restore FILE`.",
    "not a database": "The database file holds something else. Put a backup back: `manage.py restore FILE`.",
    "readonly": "The database file can't be written. Is it yours, and its folder?",
    "locked": "Another process keeps the database busy. Try again.",
    "unable to open": "The database file can't be opened. Is its folder there, and yours?",
}
"""By a word of SQLite's message: what it means and what to do."""


def is_full(error: BaseException) -> bool:
    """Say whether the disk has no room left, by the error's own words or, where they are unclear, by the disk."""
    words = str(error).lower()
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return True
    unclear = any(sign in words for sign in UNCLEAR)
    return "is full" in words or (unclear and shutil.disk_usage(settings.DATA_DIR).free < ROOM)


def is_of_the_database(error: BaseException) -> bool:
    """Say whether the file or the disk is at fault, and not a statement of ours."""
    return type(error) in (DatabaseError, OperationalError) or is_full(error)


def is_told(_error: BaseException) -> bool:
    """Say that the log has it already, which it never does: a file that is not there is each one's own trouble."""
    return False


def explain(error: BaseException) -> str:
    """Return what happened and what to do."""
    if is_full(error):
        return brief(error)
    known = brief(error) or "The database can't be used."
    return f"{known} `manage.py doctor` says what is wrong. ({type(error).__name__}: {error})"


def brief(error: BaseException) -> str:
    """Return the same in our words alone; empty where we have none."""
    if is_full(error):
        return f"The disk is full: make room where {settings.DATA_DIR} is, and try again. What is stored stays."
    return next((meaning for sign, meaning in MEANINGS.items() if sign in str(error)), "")
