"""`manage.py digest`: close and digest every open buffer now, in the foreground, until nothing is left."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from memory.management.arguments import guild_of
from memory.management.database import require_database
from memory.management.digest_all import as_text, digest_all, embed_all, interruptible


class Command(BaseCommand):
    """Turn what was said into memory without waiting for a worker."""

    help = "End every open conversation and make memory of it now: facts, notes, profiles, snapshots."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take --guild."""
        parser.add_argument("--guild", metavar="KEY", help="this guild only, for example discord:1234")

    def handle(self, *, guild: str | None = None, **options: Any) -> None:
        """Digest, embed, print a table; exit 1 when a conversation failed."""
        require_database()
        with interruptible():
            report = digest_all(guild_of(guild) if guild else None, now=timezone.now())
            self.stdout.write(as_text(report))
            embed_all(self.stderr)
        if report.failed:
            raise CommandError(
                f"Failed conversations: {report.failed}. Their messages are kept and tried again in a few minutes; "
                "`manage.py doctor` and the dashboard say why."
            )
