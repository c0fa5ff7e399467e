"""Prepares the database for a command: made where there is none, and told in words where it is not up to date."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from memoryhub import db
from memoryhub.community import due_work

MOVE = "memoryhub_move"
"""The table that says how far a move from another database is: while it is there, this one is not whole."""


def require_tables() -> None:
    """Make the tables where there are none, without a look at migrations, which is slow."""
    if not connection.introspection.table_names():
        migrate()


def require_database() -> None:
    """Return once every table is as this release wants it; raises CommandError."""
    with _turn():
        if not connection.introspection.table_names():
            call_command("migrate", verbosity=0)
        executor = MigrationExecutor(connection)
        waiting = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if db.has_table(MOVE):
        raise CommandError(
            "A move into this database is not finished. Run `manage.py move_database` again from the old one, "
            "or set DATABASE_URL back to it."
        )
    if waiting:
        raise CommandError(
            f"The database is not up to date: {waiting} migrations wait. Run `manage.py migrate` first; `make run` "
            "does it, too."
        )


def migrate() -> None:
    """Bring the tables up to this release; a command that comes meanwhile waits."""
    with _turn():
        call_command("migrate", verbosity=0)
    due_work.mark_all()  # another release, or other settings


@contextmanager
def _turn() -> Iterator[None]:
    with (settings.DATA_DIR / "migrate.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
