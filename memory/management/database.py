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
from memoryhub.ai import embedder
from memoryhub.community import due_work
from memoryhub.search import vectors

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
        waiting = _waiting()
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
        new = _waiting()
        call_command("migrate", verbosity=0)
    if new or _embeds_anew():
        due_work.mark_all()


def _waiting() -> int:
    """Return how many migrations wait."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _embeds_anew() -> bool:
    """Say whether the settings name an embedder that has embedded nothing here yet."""
    model = embedder()
    return model is not None and model.identity not in {identity for _, identity in vectors.sets()}


@contextmanager
def _turn() -> Iterator[None]:
    with (settings.DATA_DIR / "migrate.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
