"""`manage.py load`: many callers at once against the whole hub on a scratch database; fails if any call does."""

from __future__ import annotations

import json
import sys
from dataclasses import astuple
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memory.lab.bench.load import load
from memory.lab.scratch import scratch_database
from memory.management.arguments import file_to_write, number_from
from memory.management.progress import bars
from memory.management.tables import as_table

COLUMNS = ("what", "calls", "failed", "a second", "p50 ms", "p95 ms", "longest ms")


class Command(BaseCommand):
    """Measure a running hub under load."""

    help = "Start the hub on a scratch database and call it from many sides: searches, contexts, messages."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take how many callers, how long, and how much the guild knows."""
        parser.add_argument("--callers", type=number_from(1), default=50, metavar="N", help="at once; 50 unless told")
        parser.add_argument("--seconds", type=number_from(1), default=60, metavar="N", help="60 unless told")
        parser.add_argument(
            "--facts", type=number_from(1), default=1_000, metavar="N", help="that the guild knows before"
        )
        parser.add_argument(
            "--messages", type=number_from(0, 100), default=50, metavar="PERCENT", help="of the calls; the rest ask"
        )
        parser.add_argument("--json", type=file_to_write, metavar="FILE", help="write the numbers to a file too")

    def handle(self, *, callers: int, seconds: int, facts: int, messages: int, **options: Any) -> None:
        """Measure and print; exit code 1 if something failed."""
        with bars() as progress, scratch_database() as database:
            found = load(database, callers=callers, seconds=seconds, facts=facts, messages=messages, progress=progress)
        lines = [
            as_table(COLUMNS, [astuple(rate) for rate in found.rates]),
            f"{found.callers} callers for {found.seconds:g} seconds, a guild of {found.facts:,} facts; "
            f"{found.messages} of a hundred calls post a message.",
            f"Messages acknowledged: {found.acknowledged:,}; lost: {found.lost:,}.",
            *(f"Answered {outcome}: {count:,} times." for outcome, count in found.outcomes.items()),
            *(f"The hub said: {line}" for line in found.said),
        ]
        self.stdout.write("\n".join(lines))
        self.stdout.write(json.dumps(found.as_json()))
        if options["json"]:
            options["json"].write_text(json.dumps(found.as_json(), indent=2) + "\n", encoding="utf-8")
        if not found.holds:
            sys.exit(1)
