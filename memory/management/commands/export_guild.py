"""`manage.py export_guild KEY FILE`: all that a guild holds, as a zip that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from memory.importing import guild_files
from memory.management.arguments import guild_of
from memory.management.database import require_database
from memory.management.tables import as_table
from memory.records.action_log import log


class Command(BaseCommand):
    """Export a guild."""

    help = "Write all that a guild holds to a zip: messages to import again, memories in mem0's form, and the rest."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take which guild, and where to."""
        parser.add_argument("guild", metavar="KEY", help="for example discord:1234")
        parser.add_argument("file", type=Path, metavar="FILE", help="a new file; everybody's words will stand in it")

    def handle(self, *, guild: str, file: Path, **options: Any) -> None:
        """Write the zip; print how much is in it."""
        require_database()
        found, now = guild_of(guild), timezone.now()
        try:
            counts = guild_files.write(found, file, now=now, progress=self._tell)
        except OSError as error:
            raise CommandError(f"{file} cannot be written: {error.strerror}.") from error
        log("guild_export", guild=found, actor="command:export_guild", now=now, messages=counts["messages.jsonl"])
        self.stdout.write(as_table(("file", "rows"), list(counts.items())))
        self.stdout.write(f"{file}: {file.stat().st_size / 1e3:,.0f} KB. Whoever has it can read what everybody said.")

    def _tell(self, name: str, rows: int) -> None:
        self.stderr.write(f"{name}: {rows:,} rows")
