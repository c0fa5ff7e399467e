"""`manage.py consolidate`: the nightly job, now; prints what it did, or with --dry-run what it would change."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from memory import pipeline
from memory.jobs import due_days, nightly
from memory.management.arguments import guild_of, parse_day
from memory.management.database import require_database
from memory.management.digest_all import INTERRUPTED, embed_all
from memory.management.progress import bars
from memory.management.tables import as_table
from memory.models import JobRun
from memory.records.sentences import count, phase_in_words
from memoryhub.community.days import day_of
from memoryhub.community.models import Guild
from memoryhub.language.clip import one_line

Nights = list[tuple[Guild, date, list[nightly.PhaseReport]]]


class Command(BaseCommand):
    """Consolidate days that ended."""

    help = (
        "Run the nightly job of the days that are due (else yesterday): topics, profiles, archive, journal, snapshot."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take which guild, which day, and how."""
        parser.add_argument("--guild", metavar="KEY", help="this guild only, for example discord:1234")
        parser.add_argument("--day", type=parse_day, metavar="YYYY-MM-DD", help="in the guild's time zone")
        parser.add_argument("--late", action="store_true", help="also every older day of talk that was never begun")
        parser.add_argument("--dry-run", action="store_true", help="change nothing, print what would change as a diff")
        parser.add_argument("--force", action="store_true", help="do again what is done already")

    def handle(
        self, *, guild: str | None = None, day: date | None = None, late: bool = False, dry_run: bool = False,
        force: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        """Consolidate guild by guild and print a table of phases; exit 1 when one failed."""
        require_database()
        guilds = [guild_of(guild)] if guild else list(Guild.objects.filter(memory_on=True))
        now = timezone.now()
        if day and (early := next((each for each in guilds if day > day_of(each, now)), None)):
            raise CommandError(f"In {early.key} {day} has not begun.")
        nights = self._consolidate(guilds, day, late=late, dry_run=dry_run, force=force)
        if not nights:
            self.stdout.write("No guild is remembered yet: nothing to consolidate.")
            return
        rows, failed = [], 0
        for place, each, reports in nights:
            for report in reports:
                phase = JobRun.Phase(report.phase).label.lower()
                if dry_run and report.diff:
                    # The text is chat, and must not steer the terminal.
                    self.stdout.write(f"# {place.key}, {each}: {phase}")
                    self.stdout.write("\n".join(one_line(line) for line in report.diff) + "\n")
                rows.append((place.key, str(each), phase, report.status, report.error or _came_of(report)))
                failed += report.status in ("failed", "parked")
        self.stdout.write(as_table(("guild", "day", "phase", "status", "what came of it"), rows))
        if not dry_run:
            embed_all(self.stderr)
        if failed:
            raise CommandError(f"Failed phases: {failed}. The next run goes on where they stopped.")

    def _consolidate(self, guilds: list[Guild], day: date | None, *, late: bool, dry_run: bool, force: bool) -> Nights:
        now, nights = timezone.now(), Nights()
        try:
            with bars() as advance:
                for guild in guilds:
                    due = due_days.days_missed(guild, now=now, every=True) if late else []
                    due += due_days.days_due(guild, now=now)
                    due = due or [day_of(guild, now) - timedelta(days=1)]
                    for each in [day] if day else due:
                        reports = pipeline.consolidate(
                            guild, day=each, now=timezone.now(), dry_run=dry_run, force=force, progress=advance
                        )
                        nights.append((guild, each, reports))
        except KeyboardInterrupt:
            raise CommandError(
                "Interrupted. What is done stays; the same command goes on where it stopped.",
                returncode=INTERRUPTED,
            ) from None
        return nights


def _came_of(report: nightly.PhaseReport) -> str:
    if report.status == "planned":
        return f"{count(report.counts['come'], 'line')} would come, {report.counts['go']:,} go"
    return phase_in_words(report.phase, report.counts) if report.status in ("done", "skipped") else ""
