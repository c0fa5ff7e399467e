"""`manage.py move_database --to URL`: writes everything into another, empty database."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.management.database import require_database
from memory.management.progress import bars
from memoryhub.database_url import databases
from memoryhub.site.moving import move


class Command(BaseCommand):
    """Move house."""

    help = (
        "Copy everything into another, empty database: from SQLite to PostgreSQL or back. Stop the hub first. "
        "The old database stays as it is; a move that was interrupted goes on when it is called again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the address."""
        parser.add_argument(
            "--to", required=True, metavar="URL", help="postgres://user:password@host/database, or sqlite:///path"
        )

    def handle(self, *, to: str, **_: Any) -> None:
        """Check the address, copy, compare."""
        try:
            databases(to, folder=settings.DATA_DIR, sync=True)
        except ImproperlyConfigured as error:
            raise CommandError(f"--to: {error}") from error
        require_database()
        with bars() as progress:
            try:
                moved = move.move(to, progress)
            except move.Failed as error:
                raise CommandError(str(error)) from error
        self.stdout.write(f"Moved and compared: {moved:,} rows, with their words and vectors.")
        self.stdout.write("Now set DATABASE_URL to the new address and start the hub.")
        self.stdout.write("The old database is as it was. Delete it when you are sure: later erasures do not reach it.")
