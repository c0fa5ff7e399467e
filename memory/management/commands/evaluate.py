"""`manage.py evaluate locomo DIR`: how well recall finds the evidence of questions with known answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory import evaluation, locomo
from memory.context_evaluation import contexts
from memory.management.bars import bars
from memory.management.tables import as_table
from memory.scratch import scratch_database

COLUMNS = ("recall@5", "recall@10", "recall@20", "hit@10", "mrr")
INSIDE = ("evidence inside", "all inside")


class Command(BaseCommand):
    """Measure recall in a scratch database."""

    help = "Import conversations with known answers into a scratch database, ask the questions, print the measures."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the data set and what to measure."""
        parser.add_argument("dataset", choices=["locomo"])
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument("--limit", type=int, help="ask the first N questions only")
        parser.add_argument("--unit", choices=evaluation.UNITS, help="measure one unit only")
        parser.add_argument("--context", action="store_true", help="also measure contexts at several budgets")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to a file too")

    def handle(self, *, folder: Path, limit: int | None, unit: str | None, **options: Any) -> None:
        """Measure and print."""
        try:
            conversations = locomo.read(folder, limit=limit)
        except locomo.DataMissing as error:
            raise CommandError(str(error)) from error
        with scratch_database(), bars() as progress:
            worlds = [evaluation.load(each, progress=progress) for each in conversations]
            units = [unit] if unit else evaluation.UNITS
            found = evaluation.score(worlds, units=units, progress=progress)
            facts = evaluation.extraction(worlds) if unit in (None, "facts") else {}
            inside = contexts(worlds, progress=progress) if options["context"] else {}
        self.stdout.write(_table(found, COLUMNS, "category"))
        for name, value in facts.items():
            self.stdout.write(f"{name}: {value:g}")
        if inside:
            self.stdout.write(_table(inside, INSIDE, "tokens"))
        if options["json"]:
            numbers = {**found, **({"extraction": facts} if facts else {}), **({"context": inside} if inside else {})}
            options["json"].write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")


def _table(found: Mapping[str, Mapping[str, Mapping[str, float]]], columns: Sequence[str], by: str) -> str:
    rows = [
        [unit, category, f"{scores['n']:.0f}", *(f"{scores[name]:.3f}" for name in columns)]
        for unit, categories in found.items()
        for category, scores in categories.items()
    ]
    return as_table(["unit", by, "n", *columns], rows)
