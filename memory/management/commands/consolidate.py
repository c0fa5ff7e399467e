"""`manage.py consolidate`: the nightly job, now; prints what it did, or with --dry-run what it would do."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from memory import nightly, pipeline
from memory.management.tables import as_table
from profiles.identity import GuildUnknown, find_guild
from profiles.models import Guild

Row = tuple[str, str, str, str, str]


class Command(BaseCommand):
    """Consolidate days that ended."""

    help = "Consolidate the days that are due (else yesterday): topics, profiles, decay, journal and snapshot."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take which guild, which day, and how."""
        parser.add_argument("--guild", metavar="KEY", help="this guild only, for example discord:1234")
        parser.add_argument("--day", type=date.fromisoformat, metavar="YYYY-MM-DD", help="in the guild's time zone")
        parser.add_argument("--dry-run", action="store_true", help="change nothing, say what would be done")
        parser.add_argument("--force", action="store_true", help="do again what is done already")

    def handle(
        self, *, guild: str | None = None, day: date | None = None, dry_run: bool = False, force: bool = False,
        **options: Any,
    ) -> None:  # fmt: skip
        """Consolidate guild by guild and print a table of phases; exit 1 when one failed."""
        now = timezone.now()
        rows: list[Row] = []
        for place in _guilds(guild):
            for each in [day] if day else _days(place, now):
                reports = pipeline.consolidate(place, day=each, now=now, dry_run=dry_run, force=force)
                rows += [_row(place, each, report) for report in reports]
        if not rows:
            self.stdout.write("No guild is remembered yet: nothing to consolidate.")
            return
        self.stdout.write(as_table(("guild", "day", "phase", "status", "counts"), rows))
        failed = sum(row[3] == "failed" for row in rows)
        if failed:
            raise CommandError(f"{failed} phases failed; the next run goes on where they stopped.")


def _guilds(key: str | None) -> list[Guild]:
    try:
        return [find_guild(key)] if key else list(Guild.objects.filter(memory_on=True))
    except GuildUnknown as error:
        raise CommandError(str(error)) from error


def _days(guild: Guild, now: datetime) -> list[date]:
    yesterday = now.astimezone(ZoneInfo(guild.time_zone)).date() - timedelta(days=1)
    return nightly.days_due(guild, now=now) or [yesterday]


def _row(guild: Guild, day: date, report: nightly.PhaseReport) -> Row:
    counts = ", ".join(f"{name} {number}" for name, number in report.counts.items())
    return guild.key, str(day), report.phase, report.status, report.error or counts
