"""Prepares the database for a command: made where there is none, and told in words where it is not up to date."""

from __future__ import annotations

import fcntl
import logging
import math
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from memoryhub import db
from memoryhub.ai import embedder
from memoryhub.community import due_work, tombstones
from memoryhub.community.models import Member
from memoryhub.db.backups import RESTORED
from memoryhub.search import vectors

logger = logging.getLogger(__name__)
TOLD_EVERY, LOOKED_EVERY = 30.0, 1.0  # seconds, for as long as the server is waited for
MOVE = "memoryhub_move"
"""The table that says how far a move from another database is: while it is there, this one is not whole."""


def wait_for_server() -> None:
    """Return once the database's server takes connections, however long that is: both may have been started at once.

    The log tells what is waited for. Raises Error for what no waiting mends, such as a wrong password.
    """
    told = -math.inf
    while reason := db.why_away():
        if (now := time.monotonic()) - told >= TOLD_EVERY:
            logger.warning("waiting for the database: %s", reason)
            told = now
        time.sleep(LOOKED_EVERY)


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


def migrate() -> int:
    """Bring the tables up to this release; a command that comes meanwhile waits.

    Whom a restore brought back is erased again, be it one that was killed; return how many members that were.
    """
    with _turn():
        new = _waiting()
        call_command("migrate", verbosity=0)
    if new or _embeds_anew():
        due_work.mark_all()
    return _erase_again()


def unknown_to_this_release(applied: Iterable[tuple[str, str]]) -> list[str]:
    """Return the migrations that come after the last one of their app here: a newer release made these tables."""
    last = dict(MigrationLoader(None).graph.leaf_nodes())
    return sorted(f"{app}.{name}" for app, name in applied if name > last.get(app, name))


def _erase_again() -> int:
    """Erase the members that the stones stand for which a restore kept: what they asked for outlives it."""
    if not db.has_table(RESTORED):
        return 0
    from memory import erasure  # it imports much, which no other command's start should wait for

    if erasure.signed_with_another_key():
        return 0  # it finds nobody: they are erased by the first start with the right one
    erased = {digest for (digest,) in db.select(f"SELECT digest FROM {RESTORED}")}  # noqa: S608
    rows = Member.objects.select_related("guild")
    back = [member for member in rows if tombstones.digest(member.guild, member.platform_id) in erased]
    for member in back:
        erasure.erase_now(member, now=timezone.now(), by="command:restore")
    db.run(f"DROP TABLE {RESTORED}")
    return len(back)


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
