"""`manage.py bench`: what receiving, digesting, recall and contexts cost, beside raw SQLite in the same run."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memory.lab.bench.benchmark_guild import fake_embedder
from memory.lab.bench.calls import ADD, FLOOR
from memory.lab.bench.hard_cases import Cost, growth, hard_cases, many_guilds
from memory.lab.bench.members import member_timings
from memory.lab.bench.peers import peer_timings
from memory.lab.bench.run_all import LATER_VECTOR, guild_timings, intake
from memory.lab.bench.timing import Timing
from memory.lab.scratch import scratch_database
from memory.management.arguments import file_to_write, number_from
from memory.management.progress import bars
from memory.management.tables import as_table

SIZES = "1000,10000,100000"
FEW_GUILDS = 10
PARTS = ("usual", "hard", "guilds", "peers")
HARD_COLUMNS = ("case", "facts", "CPU ms", "floor", "ratio", "statements", "growth")
COLUMNS = ("what", "facts", "at once", "p50 ms", "p95 ms", "CPU ms", "of floor", "a second", "MB")


def parse_sizes(text: str) -> list[int]:
    """Return the numbers that were typed; raises what argparse shows."""
    sizes = [int(size) if size.strip().isdecimal() else 0 for size in text.split(",")]
    if not all(sizes):
        raise ArgumentTypeError(f"{text!r} are no numbers of facts; write {SIZES}.")
    return sizes


def parse_run(text: str) -> dict[str, Any]:
    """Return the numbers in another run's file; raises what argparse shows."""
    try:
        found = json.loads(Path(text).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise ArgumentTypeError(f"{text!r} is no file that `bench --json` wrote.")
    return found


class Command(BaseCommand):
    """Measure speed in a scratch database."""

    help = "Measure speed, memory and disk in a scratch database; embeddings are faked and cost nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the sizes."""
        parser.add_argument("--sizes", type=parse_sizes, default=SIZES, help="numbers of facts, with commas")
        parser.add_argument("--only", choices=PARTS, action="append", help="a part (default: usual and hard)")
        parser.add_argument(
            "--guilds", type=number_from(1), default=1_000, help="of the part `guilds`: how many, beside ten"
        )
        parser.add_argument(
            "--each", type=number_from(1), default=1_000, help="of the part `guilds`: the facts of each"
        )
        parser.add_argument("--json", type=file_to_write, metavar="FILE", help="write the numbers to a file too")
        parser.add_argument("--beside", type=parse_run, metavar="FILE", help="show another run's numbers, too")

    def handle(self, *, sizes: list[int], **options: Any) -> None:
        """Measure and print."""
        parts = options["only"] or PARTS[:2]
        timings: list[Timing] = []
        guilds: list[dict[str, Any]] = []
        costs: list[Cost] = []
        with bars() as progress, fake_embedder():
            if "usual" in parts:
                with scratch_database():
                    timings = intake(progress)
                with scratch_database():
                    timings += member_timings(progress)
                for size in sizes:
                    with scratch_database() as database:
                        found, guild = guild_timings(size, database, progress)
                    timings += found
                    guilds.append(guild)
            for size in sizes if "hard" in parts else ():
                with scratch_database():
                    costs += hard_cases(size, progress)
            for size in sizes if "peers" in parts else ():
                with scratch_database():
                    timings += peer_timings(size, progress)
            if "guilds" in parts:
                with scratch_database():
                    costs += many_guilds(FEW_GUILDS, options["guilds"], options["each"], progress)
        numbers = {
            "timings": [asdict(each) for each in timings], "guilds": guilds, "of_floor": of_floor(timings),
            "hard": [{**asdict(each), "ratio": each.ratio} for each in costs], "growth": growth(costs),
        }  # fmt: skip
        self._print(timings, guilds, costs, options["beside"])
        self.stdout.write(json.dumps(numbers))
        if options["json"]:
            options["json"].write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")

    def _print(
        self, timings: list[Timing], guilds: list[dict[str, Any]], costs: list[Cost], beside: dict[str, Any] | None
    ) -> None:
        """Print a table for each part that was measured, with the processor's time of another run if there is one."""
        floors, more = of_floor(timings), ("beside CPU ms",) if beside else ()
        others = {_key(each): each["cpu"] for part in ("timings", "hard") for each in (beside or {}).get(part, ())}

        def cells(each: Timing | Cost) -> tuple[object, ...]:
            return (others.get(_key(asdict(each)), ""),) if beside else ()

        if timings:
            rows = [
                (
                    each.what, each.facts, each.processes, f"{each.p50:.2f}", f"{each.p95:.2f}", f"{each.cpu:.2f}",
                    floors.get(_name(each), ""), each.per_second, each.memory, *cells(each),
                )
                for each in timings
            ]  # fmt: skip
            self.stdout.write(as_table((*COLUMNS, *more), rows))
        if guilds:
            self.stdout.write(as_table(list(guilds[0]), [guild.values() for guild in guilds]))
        if costs:
            grown = growth(costs)
            rows = [
                (
                    each.case, each.facts, f"{each.cpu:.2f}", "" if each.floor is None else f"{each.floor:.2f}",
                    each.ratio or "", each.statements, grown.get(each.case, ""), *cells(each),
                )
                for each in costs
            ]  # fmt: skip
            self.stdout.write(as_table((*HARD_COLUMNS, *more), rows))


def _key(numbers: dict[str, Any]) -> str:
    """Return what tells one measurement of a run from the others, in this run and in another's file."""
    return f"{numbers.get('what') or numbers['case']}, {numbers['facts']}, {numbers.get('processes', 1)}"


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
