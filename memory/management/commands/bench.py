"""`manage.py bench`: what receiving, digesting, recall and contexts cost, beside raw SQLite in the same run."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memory.bench.measuring import Timing, disk_in_use, memory_in_use
from memory.bench.running import cold_start, fake_embedder, intake, reading
from memory.management.bars import bars
from memory.management.tables import as_table
from memory.scratch import scratch_database

SIZES = "1000,10000,100000"


class Command(BaseCommand):
    """Measure speed in a scratch database."""

    help = "Measure speed, memory and disk in a scratch database; embeddings are faked and cost nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the sizes."""
        parser.add_argument("--sizes", default=SIZES, help="numbers of facts, with commas")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to a file too")

    def handle(self, *, sizes: str, **options: Any) -> None:
        """Measure and print."""
        with bars() as progress, fake_embedder():
            with scratch_database():
                timings = intake(progress)
            worlds = [self._world(int(size), timings, progress) for size in sizes.split(",")]
        found = {"timings": [asdict(each) for each in timings], "worlds": worlds}
        self.stdout.write(_table(timings))
        self.stdout.write(as_table(list(worlds[0]), [world.values() for world in worlds]))
        self.stdout.write(json.dumps(found))
        if options["json"]:
            options["json"].write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")

    def _world(self, size: int, timings: list[Timing], progress: Any) -> dict[str, Any]:
        with scratch_database() as database:
            timings += reading(size, database, progress)
            return {
                "facts": size,
                "bytes on disk a fact": disk_in_use(database) // size,
                "MB in memory": round(memory_in_use()),
                "seconds of a cold recall": f"{cold_start(f'bench:{size}', database):.2f}",
            }


def _table(timings: list[Timing]) -> str:
    rows = [
        (each.what, each.facts, f"{each.p50:.2f}", f"{each.p95:.2f}", f"{each.cpu:.2f}", f"{each.per_second:,.0f}")
        for each in timings
    ]
    return as_table(("what", "facts", "p50 ms", "p95 ms", "CPU ms", "a second"), rows)
