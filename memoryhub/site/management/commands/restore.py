"""`manage.py restore FILE`: puts a backup in the place of the database, in one step."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.utils import timezone

from memory.management.database import migrate
from memoryhub.db import backups
from memoryhub.db.file_trouble import explain
from memoryhub.db.sqlitevec.driver import Database


class Command(BaseCommand):
    """Put a backup back."""

    help = "Put a backup in the place of the database, and keep the old one beside it. Stop the hub first."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the backup."""
        parser.add_argument("file", type=Path, metavar="FILE", help="what `manage.py backup` wrote")

    def handle(self, *, file: Path, **_: Any) -> None:
        """Check the backup, put it in place, bring its tables up to this release."""
        database = Path(connection.settings_dict["NAME"])
        if not file.is_file():
            raise CommandError(f"There is no file {file}.")
        try:
            if found := backups.trouble(file):
                raise CommandError(f"{file} is damaged, so nothing was changed: {found}.")
            with closing(Database.connect(file)) as backup:
                if not backup.execute("SELECT 1 FROM sqlite_master WHERE name = 'notes_message'").fetchone():
                    raise CommandError(f"{file} is no backup of memoryhub, so nothing was changed.")
            connection.close()
            kept = backups.restore(file, database, now=timezone.now())
        except backups.InUse:
            raise CommandError("The hub is running. Stop it first (Ctrl-C, or its service), then restore.") from None
        except Database.OperationalError as error:
            raise CommandError(f"{explain(error)} Nothing was changed.") from error
        migrate()
        self.stdout.write(f"Restored: {database}." + (f" The old one is kept as {kept}." if kept else ""))
        self.stdout.write("Whoever was erased after the backup was made is in it again: erase them once more.")
