"""`manage.py evaluate locomo|beam|guild DIR`: recall, facts, notes and contexts, on talk with known answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from json import dumps
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.lab.evaluation import beam, gold_facts, guild, locomo
from memory.lab.evaluation.baselines import BaselineMissing, require_bm25
from memory.lab.evaluation.contexts import contexts
from memory.lab.evaluation.loaded_guild import Progress, load
from memory.lab.evaluation.scoring import ALL, UNITS, score
from memory.lab.evaluation.updates import updates
from memory.lab.scratch import scratch_database
from memory.management.progress import bars
from memory.management.tables import as_table
from memory.recall import ranking
from notes.messages.schemas import MAX_TEXT

COLUMNS = ("recall@5", "recall@10", "recall@20", "hit@10", "mrr")
INSIDE = ("evidence inside", "all inside")
CHANGED = ("learnt", "new learnt", "inactive", "marked", "newer first")
Numbers = dict[str, Any]


class Command(BaseCommand):
    """Measure in a scratch database."""

    help = "Import conversations with known answers into a scratch database, ask the questions, print the measures."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the data set and what to measure."""
        parser.add_argument(
            "dataset",
            choices=["locomo", "beam", "guild"],
            help="locomo and guild: recall; beam: statements updated later",
        )
        parser.add_argument("folder", type=Path, metavar="DIR", nargs="?", help="guild: the shipped chats without it")
        parser.add_argument("--limit", type=int, help="ask the first N questions only")
        parser.add_argument(
            "--unit",
            type=unit_name,
            choices=UNITS,
            help="not beam: measure one unit only",
        )
        parser.add_argument("--preset", choices=ranking.PRESETS, default=ranking.DEFAULT, help="not beam: how to rank")
        parser.add_argument("--context", action="store_true", help="not beam: also measure contexts at several budgets")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to a file too")

    def handle(
        self, *, dataset: str, folder: Path | None, limit: int | None, json: Path | None, unit: str | None, preset: str,
        context: bool, **_: Any,
    ) -> None:  # fmt: skip
        """Measure and print."""
        try:
            measure: Callable[..., Numbers]
            if dataset != "beam" and unit in (None, "bm25_messages", "bm25_windows"):
                require_bm25()  # before minutes of work
            if dataset == "guild":
                conversations = guild.read(folder, limit=limit)
                measure = partial(asked, conversations, unit=unit, preset=preset, context=context)
            elif folder is None:
                raise CommandError(f"Which folder holds {dataset}? docs/evaluation.md says what is in it.")
            elif dataset == "locomo":
                conversations = locomo.read(folder, limit=limit)
                measure = partial(recalled, conversations, unit=unit, preset=preset, context=context)
            else:
                changing = beam.read(folder, limit=limit)
                conversations = [each.conversation for each in changing]
                measure = partial(updated, changing)
        except (locomo.DataMissing, BaselineMissing) as error:
            raise CommandError(str(error)) from error
        except (LookupError, TypeError, ValueError) as error:
            name = type(error).__name__
            raise CommandError(f"{folder} is not in the form that docs/evaluation.md describes ({name}).") from error
        if cut := sum(each.shortened for each in conversations):
            self.stderr.write(f"Messages longer than {MAX_TEXT:,} characters: {cut}. What is beyond was cut off.")
        try:
            with scratch_database(), bars() as progress:
                found = measure(progress=progress)
        except KeyboardInterrupt:
            raise CommandError("Stopped. Nothing was written, and the scratch database is gone.") from None
        tables = [
            _table({unit: found[unit] for unit in UNITS if unit in found}, COLUMNS, "category"),
            *(
                f"{name}: {value:g}"
                for part in ("extraction", "summaries")
                for name, value in found.get(part, {}).items()
            ),
            _table(found.get("context", {}), INSIDE, "tokens"),
            _table({name: found[name] for name in ("updates",) if name in found}, CHANGED, "category"),
        ]
        self.stdout.write("\n".join(filter(None, tables)))
        if json:
            json.write_text(dumps(found, indent=2) + "\n", encoding="utf-8")


def asked(
    conversations: Sequence[locomo.Conversation], *, unit: str | None, preset: str, context: bool, progress: Progress
) -> Numbers:
    """Return the measures of guilds' chats, also chat by chat: of one, only how it is remembered differs."""
    worlds = [load(each, progress=progress) for each in conversations]
    units = [unit] if unit else [name for name in UNITS if name != "facts"]
    found: Numbers = {**score(worlds, units=units, preset=preset, progress=progress)}
    for world in worlds if len(worlds) > 1 else ():
        for name, scores in score([world], units=units, preset=preset, progress=progress).items():
            found[name][world.conversation.name] = scores[ALL]
    if context:
        found["context"] = contexts(worlds, progress=progress)
    return found


def recalled(
    conversations: Sequence[locomo.Conversation], *, unit: str | None, preset: str, context: bool, progress: Progress
) -> Numbers:
    """Return the measures of LoCoMo: the units, and under names of their own facts, notes and contexts."""
    worlds = [load(each, progress=progress) for each in conversations]
    units = [unit] if unit else UNITS
    found: Numbers = {**score(worlds, units=units, preset=preset, progress=progress)}
    if unit in (None, "facts"):
        found["extraction"] = gold_facts.extraction(worlds)
    if unit in (None, "notes"):
        found["summaries"] = gold_facts.summaries(worlds)
    if context:
        found["context"] = contexts(worlds, progress=progress)
    return found


def updated(changing: Sequence[beam.ChangingConversation], *, progress: Progress) -> Numbers:
    """Return the measures of BEAM."""
    return {"updates": updates(changing, progress=progress)}


def unit_name(given: str) -> str:
    """Return the name of a unit, which may be given in the singular."""
    return given if given in UNITS else f"{given}s"


def _table(found: Mapping[str, Mapping[str, Mapping[str, float]]], columns: Sequence[str], by: str) -> str:
    rows = [
        [unit, category, f"{scores['n']:.0f}", *(f"{scores[name]:.3f}" if name in scores else "-" for name in columns)]
        for unit, categories in found.items()
        for category, scores in categories.items()
    ]
    return as_table(["unit", by, "n", *columns], rows) if rows else ""
