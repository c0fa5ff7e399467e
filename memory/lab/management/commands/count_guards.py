"""`manage.py count_guards FILE`: what the guards make of attacks and of innocent look-alikes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.importing import Unreadable, open_source
from memory.importing.open_file import Source
from memory.lab.count_guards import KEPT, NO_FACT, count
from memory.management.tables import as_table

LONGEST_LINE = 1 << 20


class Command(BaseCommand):
    """Count outcomes by label."""

    help = (
        "Read one JSON object a line with `label` and `text`, put each text to the guards as a fact, and print "
        "what became of them: kept, no fact (it asks or orders), or the reason why it is refused."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file."""
        parser.add_argument("file", metavar="FILE", help="one JSON object a line")

    def handle(self, *, file: str, **options: Any) -> None:
        """Count and print."""
        try:
            with open_source(file) as source:
                found = count(read_texts(source))
        except Unreadable as error:
            raise CommandError(f"{file} {error}") from error
        for label, ends in found.items():
            total, refused = ends.total(), sum(n for end, n in ends.items() if end not in (KEPT, NO_FACT))
            rows = [[end, number, f"{number / total:.1%}"] for end, number in ends.most_common()]
            self.stdout.write(f"{label}: {total} texts, kept {ends[KEPT]}, no fact {ends[NO_FACT]}, refused {refused}")
            self.stdout.write(as_table(["outcome", "texts", "share"], rows))


def read_texts(source: Source) -> Iterator[tuple[str, str]]:
    """Yield label and text of each line; raises CommandError."""
    for number, line in enumerate(iter(lambda: source.readline(LONGEST_LINE), b""), 1):
        try:
            row = json.loads(line)
            yield str(row["label"]), str(row["text"])
        except (ValueError, LookupError, TypeError):
            raise CommandError(f"Line {number} is no JSON object with `label` and `text`.") from None
