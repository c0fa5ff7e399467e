"""`manage.py export_member --guild KEY --member ID`: all that is a member's, as a zip."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from memory.erasure import export
from memory.management.arguments import guild_of, members_of
from memory.management.database import require_database


class Command(BaseCommand):
    """Export a member."""

    help = "Write all that is remembered of a member to a zip, with other members' names hidden."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take whom, and where to."""
        parser.add_argument("--guild", required=True, metavar="KEY", help="for example discord:1234")
        parser.add_argument("--member", required=True, metavar="ID", help="the platform's id of the member")
        parser.add_argument("--output", type=Path, metavar="FILE", help="default: the data folder, for a day")

    def handle(self, *, guild: str, member: str, output: Path | None = None, **options: Any) -> None:
        """Write the zip; print where it is."""
        require_database()
        (found,) = members_of(guild_of(guild), [member])
        now = timezone.now()
        try:
            path = export.export_member(found, now=now, into=output)
        except OSError as error:
            raise CommandError(f"{output or 'The zip'} cannot be written: {error.strerror}.") from error
        export.log_export(found, actor="command:export_member", now=now)
        self.stdout.write(str(path))
