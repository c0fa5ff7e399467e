"""`manage.py consolidate`: the nightly job, now; prints what it did, or with --dry-run what it would change."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from memory import pipeline
from memory.jobs import due_days, nightly
from memory.management.database import require_database
from memory.management.digest_all import INTERRUPTED
from memory.management.progress_bars import bars
from memory.management.tables import as_table
from memoryhub.community.days import day_of
from memoryhub.community.identity import GuildUnknown, find_guild
from memoryhub.community.models import Guild
from memoryhub.language.clip import one_line

Row = tuple[str, str, str, str, str]
Nights = list[tuple[Guild, date, list[nightly.PhaseReport]]]
WORDS = {"cluster": "topics", "profiles": "profiles", "decay": "facts", "papers": "journal and snapshot"}


class Command(BaseCommand):
    """Consolidate days that ended."""

    help = "Consolidate the days that are due (else yesterday): topics, profiles, decay, journal and snapshot."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take which guild, which day, and how."""
        parser.add_argument("--guild", metavar="KEY", help="this guild only, for example discord:1234")
        parser.add_argument("--day", type=date.fromisoformat, metavar="YYYY-MM-DD", help="in the guild's time zone")
        parser.add_argument("--dry-run", action="store_true", help="change nothing, print what would change as a diff")
        parser.add_argument("--force", action="store_true", help="do again what is done already")

    def handle(
        self, *, guild: str | None = None, day: date | None = None, dry_run: bool = False, force: bool = False,
        **options: Any,
    ) -> None:  # fmt: skip
        """Consolidate guild by guild and print a table of phases; exit 1 when one failed."""
        require_database()
        nights = self._run(_guilds(guild), day, dry_run=dry_run, force=force)
        if not nights:
            self.stdout.write("No guild is remembered yet: nothing to consolidate.")
            return
        if dry_run:
            self._print_diffs(nights)
        rows = [_row(place, each, report) for place, each, reports in nights for report in reports]
        self.stdout.write(as_table(("guild", "day", "phase", "status", "counts"), rows))
        failed = sum(row[3] in ("failed", "parked") for row in rows)
        if failed:
            raise CommandError(f"{failed} phases failed; the next run goes on where they stopped.")

    def _run(self, places: list[Guild], day: date | None, *, dry_run: bool, force: bool) -> Nights:
        now, nights = timezone.now(), Nights()
        try:
            with bars() as advance:
                for place in places:
                    for each in [day] if day else _days(place, now):
                        reports = pipeline.consolidate(
                            place, day=each, now=timezone.now(), dry_run=dry_run, force=force, progress=advance
                        )
                        nights.append((place, each, reports))
        except KeyboardInterrupt:
            told = "Interrupted. What is done stays; `manage.py consolidate` goes on where it stopped."
            raise CommandError(told, returncode=INTERRUPTED) from None
        return nights

    def _print_diffs(self, nights: Nights) -> None:
        """Print what would change; the text is chat, and must not steer the terminal."""
        for place, day, reports in nights:
            for report in reports:
                lines = [one_line(line) for line in report.diff]
                if lines:
                    self.stdout.write(f"# {place.key}, {day}: {WORDS[report.phase]}")
                    self.stdout.write("\n".join(lines) + "\n")


def _guilds(key: str | None) -> list[Guild]:
    try:
        return [find_guild(key)] if key else list(Guild.objects.filter(memory_on=True))
    except GuildUnknown as error:
        raise CommandError(str(error)) from error


def _days(guild: Guild, now: datetime) -> list[date]:
    return due_days.days_due(guild, now=now) or [day_of(guild, now) - timedelta(days=1)]


def _row(guild: Guild, day: date, report: nightly.PhaseReport) -> Row:
    counts = ", ".join(f"{name} {number}" for name, number in report.counts.items())
    return guild.key, str(day), report.phase, report.status, report.error or counts
