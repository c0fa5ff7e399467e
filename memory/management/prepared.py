"""Says what to do when a command finds a database that is not there or not up to date, instead of a traceback."""

from __future__ import annotations

from django.core.management.base import CommandError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor


def require_database() -> None:
    """Return if every table is as this release wants it; raises CommandError."""
    try:
        executor = MigrationExecutor(connection)
        waiting = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except DatabaseError as error:
        told = "The database cannot be used. `manage.py doctor` says what is wrong with it."
        raise CommandError(f"{told} ({type(error).__name__})") from None
    if waiting:
        told = f"The database is not up to date: {waiting} migrations wait."
        raise CommandError(f"{told} Run `manage.py migrate` first; `make run` does it, too.")
