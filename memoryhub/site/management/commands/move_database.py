"""`manage.py move_database --to URL [--dry-run]`: writes everything into another, empty database."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.management.database import require_database
from memory.management.progress import bars
from memory.management.tables import as_table
from memoryhub.database_url import FORMS, WRITE, databases
from memoryhub.db.backups import InUse, backups
from memoryhub.site.moving import move


class Command(BaseCommand):
    """Move house."""

    help = (
        "Copy everything into another, empty database: from SQLite to PostgreSQL or back. Stop the hub first. "
        "The old database stays as it is; a move that was interrupted goes on when it is called again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the address, and whether it is only looked at."""
        parser.add_argument("--to", required=True, metavar="URL", help=FORMS)
        parser.add_argument("--dry-run", action="store_true", help="say what would be moved, and write nothing")

    def handle(self, *, to: str, dry_run: bool = False, **_: Any) -> None:
        """Check the address, copy, compare; raises CommandError that says what is in the way."""
        try:
            databases(to, folder=settings.DATA_DIR, sync=True)
        except ImproperlyConfigured as error:
            reason = str(error).removesuffix(WRITE).replace("DATABASE_URL", "--to")
            raise CommandError(f"{reason}Write {FORMS}.") from error
        require_database()
        try:
            if dry_run:
                self._show(move.plan(to))
                return
            backups().require_unused()  # what a hub acknowledges after the copy would stay behind
            with bars() as progress:
                moved = move.move(to, progress)
        except move.Failed as error:
            raise CommandError(str(error)) from error
        except InUse as error:
            raise CommandError(f"{error}.") from error
        self.stdout.write(f"Moved and compared: {moved:,} rows, with their words and vectors.")
        self.stdout.write("Now set DATABASE_URL to the new address and start the hub.")
        self.stdout.write("The old database is as it was. Delete it when you are sure: later erasures do not reach it.")

    def _show(self, rows: list[tuple[str, int, int]]) -> None:
        self.stdout.write(as_table(("table", "rows", "moved before"), [each for each in rows if each[1]]))
        left = sum(count - moved for _, count, moved in rows)
        self.stdout.write(f"{left:,} rows would be moved, with their words and vectors. Nothing was written.")
