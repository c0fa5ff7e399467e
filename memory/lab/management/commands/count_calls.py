"""`manage.py count_calls FILE...`: what 1,000 messages would cost in calls and tokens, in each way of learning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.importing import Said, Unreadable, opened, read
from memory.lab.count_calls import Cost, Mode, count
from memory.lab.scratch import scratch_database
from memory.management.progress_bars import bars
from memory.management.tables import as_table

COLUMNS = ("learning", "messages", "extraction calls", "of one a message", "all calls", "tokens in", "tokens out")


class Command(BaseCommand):
    """Count calls in a scratch database."""

    help = (
        "Live through the talks of files once for each way of learning, the rules answering in a model's place, "
        "and print calls and tokens (four characters each) for 1,000 messages."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the files and the ways of learning."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="as import_messages reads them")
        parser.add_argument("--mode", choices=Mode.values, action="append", help="one way of learning only")
        parser.add_argument("--limit", type=int, help="the first N messages of each file only")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to a file too")

    def handle(self, *, files: list[str], mode: list[str] | None, limit: int | None, **options: Any) -> None:
        """Count and print."""
        said = [each for path in files for each in _said(path)[:limit]]
        found: dict[str, Cost] = {}
        for each in map(Mode, mode or Mode.values):
            with scratch_database(), bars() as progress:
                found[each] = count(said, mode=each, progress=progress)
        self.stdout.write(as_table(COLUMNS, [_row(Mode(name).label, cost) for name, cost in found.items()]))
        self.stdout.write("Calls and tokens for 1,000 messages.")
        if options["json"]:
            numbers = {name: _numbers(cost) for name, cost in found.items()}
            options["json"].write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")


def _said(path: str) -> list[Said]:
    try:
        with opened(path) as source:
            return [each for each in read(source) if isinstance(each, Said)]
    except Unreadable as error:
        raise CommandError(f"{path} {error}") from error


def _row(name: str, cost: Cost) -> list[object]:
    numbers = _numbers(cost)
    share = f"{numbers['extraction'] / 10:.1f} %"
    return [
        name, cost.messages, f"{numbers['extraction']:.1f}", share, f"{numbers['all']:.1f}", numbers["tokens in"],
        numbers["tokens out"],
    ]  # fmt: skip


def _numbers(cost: Cost) -> dict[str, Any]:
    thousands = max(1, cost.messages) / 1000
    return {
        **{purpose: cost.per_thousand(purpose) for purpose in sorted({*cost.calls, "extraction"})},
        "all": cost.per_thousand(),
        "tokens in": round(cost.tokens_in / thousands),
        "tokens out": round(cost.tokens_out / thousands),
        "messages": cost.messages,
    }
