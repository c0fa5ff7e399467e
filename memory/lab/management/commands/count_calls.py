"""`manage.py count_calls FILE...`: what 1,000 messages would cost in calls and tokens, in each way of learning."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.importing import ReadMessage, Unreadable, open_source, read
from memory.lab.count_calls import Cost, Mode, count
from memory.lab.scratch import scratch_database
from memory.management.arguments import file_to_write, number_from
from memory.management.progress import bars
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
        parser.add_argument("--limit", type=number_from(1), help="the first N messages of each file only")
        parser.add_argument("--json", type=file_to_write, metavar="FILE", help="write the numbers to a file too")

    def handle(self, *, files: list[str], mode: list[str] | None, limit: int | None, **options: Any) -> None:
        """Count and print."""
        said: list[ReadMessage] = []
        for path in files:
            try:
                with open_source(path) as source:
                    said += [each for each in read(source) if isinstance(each, ReadMessage)][:limit]
            except Unreadable as error:
                raise CommandError(f"{path} {error}") from error
        numbers: dict[str, dict[str, Any]] = {}
        for each in map(Mode, mode or Mode.values):
            with scratch_database(), bars() as progress:
                numbers[each] = per_thousand(count(said, mode=each, progress=progress))
        rows = [
            [
                Mode(name).label, found["messages"], f"{found['extraction']:.1f}", f"{found['extraction'] / 10:.1f} %",
                f"{found['all']:.1f}", found["tokens in"], found["tokens out"],
            ]
            for name, found in numbers.items()
        ]  # fmt: skip
        self.stdout.write(as_table(COLUMNS, rows))
        self.stdout.write("Calls and tokens for 1,000 messages.")
        if options["json"]:
            options["json"].write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")


def per_thousand(cost: Cost) -> dict[str, Any]:
    """Return calls by purpose and tokens for 1,000 messages."""
    thousands = max(1, cost.messages) / 1000
    return {
        **{purpose: cost.per_thousand(purpose) for purpose in sorted({*cost.calls, "extraction"})},
        "all": cost.per_thousand(),
        "tokens in": round(cost.tokens_in / thousands),
        "tokens out": round(cost.tokens_out / thousands),
        "messages": cost.messages,
    }
