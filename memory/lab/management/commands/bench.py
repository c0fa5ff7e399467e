"""`manage.py bench`: what receiving, digesting, recall and contexts cost, beside raw SQLite in the same run."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memory.lab.bench.benchmark_guild import fake_embedder
from memory.lab.bench.calls import ADD, FLOOR
from memory.lab.bench.members import member_timings
from memory.lab.bench.run_all import LATER_VECTOR, guild_timings, intake
from memory.lab.bench.timing import Timing
from memory.lab.scratch import scratch_database
from memory.management.progress import bars
from memory.management.tables import as_table

SIZES = "1000,10000,100000"
COLUMNS = ("what", "facts", "at once", "p50 ms", "p95 ms", "CPU ms", "of floor", "a second", "MB")


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
            with scratch_database():
                timings += member_timings(progress)
            guilds = []
            for size in sizes.split(","):
                with scratch_database() as database:
                    found, guild = guild_timings(int(size), database, progress)
                timings += found
                guilds.append(guild)
        floors = of_floor(timings)
        rows = [
            (
                each.what, each.facts, each.processes, f"{each.p50:.2f}", f"{each.p95:.2f}", f"{each.cpu:.2f}",
                floors.get(_name(each), ""), each.per_second, each.memory,
            )
            for each in timings
        ]  # fmt: skip
        numbers = {"timings": [asdict(each) for each in timings], "guilds": guilds, "of_floor": floors}
        self.stdout.write(as_table(COLUMNS, rows))
        self.stdout.write(as_table(list(guilds[0]), [guild.values() for guild in guilds]))
        self.stdout.write(json.dumps(numbers))
        if options["json"]:
            options["json"].write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")


def of_floor(timings: list[Timing]) -> dict[str, float]:
    """Return, by name, how many times the floor's processor time a call takes; an add counts with its vector."""
    cpu = {_name(each): each.cpu for each in timings}
    found = {}
    for each in timings:
        floor = cpu.get(_name(each, FLOOR))
        if floor:
            later = cpu.get(f"{LATER_VECTOR}, {each.facts} facts, 1 at once", 0) if each.what == ADD else 0
            found[_name(each)] = round((each.cpu + later) / floor, 2)
    return found


def _name(timing: Timing, prefix: str = "") -> str:
    return f"{prefix}{timing.what}, {timing.facts} facts, {timing.processes} at once"
