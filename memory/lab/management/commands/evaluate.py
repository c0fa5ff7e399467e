"""`manage.py evaluate locomo|beam|guild|... DIR`: recall, facts, notes and contexts, on talk with known answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import partial
from json import dumps
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import slugify

from memory.lab.evaluation import beam, gold_facts, guild, locomo, published
from memory.lab.evaluation.baselines import Ask, BaselineMissing, require_bm25
from memory.lab.evaluation.comparison import RULES, by_rules, compared, costs
from memory.lab.evaluation.contexts import contexts
from memory.lab.evaluation.guild_bench import Bench
from memory.lab.evaluation.loaded_guild import LoadedGuild, load
from memory.lab.evaluation.peers.asking import PEERS, PeerMissing, installed, require
from memory.lab.evaluation.scoring import ALL, KINDS_OF, UNITS, score, ways_to_ask
from memory.lab.evaluation.unanswered import refusals
from memory.lab.evaluation.updates import updates
from memory.lab.model_answers import ModelAnswers, Price, Stopped
from memory.lab.scratch import scratch_database
from memory.management.arguments import file_to_write, number_from
from memory.management.digest_all import INTERRUPTED
from memory.management.progress import bars
from memory.management.tables import as_table
from memory.recall import ranking
from memoryhub.ai import ModelFailed, model_choice
from memoryhub.common.long_work import Progress
from notes.messages.schemas import MAX_TEXT

OF_GUILDS = tuple(name for name in UNITS if name != "facts")
COLUMNS = ("recall@5", "recall@10", "recall@20", "hit@10", "mrr")
INSIDE = ("evidence inside", "all inside")
CHANGED = ("learnt", "new learnt", "inactive", "marked", "newer first")
PUBLISHED = {"evermembench": published.evermembench, "groupmembench": published.groupmembench}
OF_PUBLISHED = ("messages", "everything", "bm25_messages", "bm25_windows", "dense_messages")
Numbers = dict[str, Any]


class Command(BaseCommand):
    """Measure in a scratch database."""

    help = "Import conversations with known answers into a scratch database, ask the questions, print the measures."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the data set and what to measure."""
        parser.add_argument(
            "dataset",
            choices=["locomo", "beam", "guild", *PUBLISHED],
            help="beam: statements updated later; guild: Guild-Bench; the others: recall",
        )
        parser.add_argument("folder", type=Path, metavar="DIR", nargs="?", help="guild: the shipped chats without it")
        parser.add_argument("--limit", type=number_from(1), help="ask the first N questions only")
        parser.add_argument(
            "--unit",
            type=unit_name,
            choices=UNITS,
            help="not beam: measure one unit only",
        )
        parser.add_argument("--preset", choices=ranking.PRESETS, default=ranking.DEFAULT, help="not beam: how to rank")
        parser.add_argument("--context", action="store_true", help="not beam: also measure contexts at several budgets")
        parser.add_argument("--world", metavar="NAME", help="guild: one chat only")
        parser.add_argument(
            "--model", action="append", default=[], metavar="PROVIDER:NAME", dest="models",
            help="also measure this model in place of the rules, with its cost; may be given again",
        )  # fmt: skip
        parser.add_argument(
            "--max-usd", type=dollars, default=Decimal(5), metavar="USD", help="a model's limit; one call may pass it"
        )
        parser.add_argument(
            "--price", type=dollars, nargs=2, metavar=("IN", "OUT"), help="dollars a million tokens, where unknown"
        )
        parser.add_argument("--json", type=file_to_write, metavar="FILE", help="write the numbers to a file too")

    def handle(
        self, *, dataset: str, folder: Path | None, limit: int | None, json: Path | None, unit: str | None, preset: str,
        context: bool, world: str | None, models: Sequence[str], max_usd: Decimal, price: Sequence[Decimal] | None,
        **_: Any,
    ) -> None:  # fmt: skip
        """Measure and print."""
        asked_of = [_answers(name, dataset, limit=max_usd, price=price) for name in dict.fromkeys(models)]
        options: dict[str, Any] = {"limit": limit, "unit": unit, "preset": preset, "context": context, "world": world}
        try:
            if dataset != "beam" and (context or unit in (None, "bm25_messages", "bm25_windows")):
                require_bm25()  # before minutes of work
            if unit in PEERS:
                require(unit)
            conversations, measure = self._chosen(dataset, folder, **options)
        except (locomo.DataMissing, BaselineMissing, PeerMissing) as error:
            raise CommandError(str(error)) from error
        except (LookupError, TypeError, ValueError) as error:
            name = type(error).__name__
            raise CommandError(f"{folder} is not in the form that docs/evaluation.md describes ({name}).") from error
        if cut := sum(each.shortened for each in conversations):
            self.stderr.write(f"Messages longer than {MAX_TEXT:,} characters: {cut}. What is beyond was cut off.")
        try:
            found = self._measured(measure, asked_of)
        except (PeerMissing, Stopped) as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            kept = " Answers that were paid are kept." if models else ""
            words = f"Stopped. Nothing was written, and the scratch database is gone.{kept}"
            raise CommandError(words, returncode=INTERRUPTED) from None
        if json:
            json.write_text(dumps(found, indent=2) + "\n", encoding="utf-8")

    def _measured(self, measure: Callable[..., Numbers], models: Sequence[ModelAnswers]) -> Numbers:
        """Measure by the rules, then each model in their place; print and return what was found."""
        with by_rules(), scratch_database(), bars() as progress:
            found = measure(progress=progress)
        self.stdout.write("\n".join(filter(None, _tables(found))))
        for model in models:
            with model_choice.standing_in(model), scratch_database(), bars() as progress:
                beside = measure(progress=progress, own_only=True)
            found.setdefault("models", {})[str(model.choice)] = {**beside, "cost": costs(model.spent)}
        if models:
            self.stdout.write(as_table(*compared({RULES: found, **found["models"]})))
        return found

    def _chosen(
        self, dataset: str, folder: Path | None, *, limit: int | None, world: str | None, unit: str | None, **how: Any
    ) -> tuple[Sequence[locomo.Conversation], Callable[..., Numbers]]:
        """Return the conversations read, and what measures them."""
        if dataset == "guild":
            chats = guild.read(folder, limit=limit, only=world)
            if not chats:
                raise CommandError(f"There is no chat {world}: docs/guild-bench.md lists those that are shipped.")
            for peer in PEERS if unit is None else ():
                self._say_if_missing(peer)
            return chats, partial(asked, chats, unit=unit, **how)
        if folder is None:
            raise CommandError(f"Which folder holds {dataset}? docs/evaluation.md says what is in it.")
        if dataset == "locomo":
            read = locomo.read(folder, limit=limit)
            return read, partial(recalled, read, unit=unit, **how)
        if dataset in PUBLISHED:
            group = PUBLISHED[dataset](folder, limit=limit)
            return group, partial(retrieved, group, unit=unit, **how)
        changing = beam.read(folder, limit=limit)
        return [each.conversation for each in changing], partial(updated, changing)

    def _say_if_missing(self, peer: str) -> None:
        try:
            require(peer)
        except PeerMissing as missing:
            self.stderr.write(str(missing))


def _tables(found: Numbers) -> Iterator[str]:
    """Yield what was measured, as tables and lines."""
    yield from _of_guilds(found)
    if "bench" not in found:
        yield _table({unit: found[unit] for unit in UNITS if unit in found}, COLUMNS, "category")
    for part in ("extraction", "summaries"):
        yield from (f"{name}: {value:g}" for name, value in found.get(part, {}).items())
    yield _table(found.get("context", {}), INSIDE, "tokens")
    yield _table(found.get("answers", {}), ("share",), "margin")
    yield _table({name: found[name] for name in ("updates",) if name in found}, CHANGED, "category")


def asked(
    conversations: Sequence[guild.GuildChat], *, unit: str | None, preset: str, context: bool, progress: Progress,
    own_only: bool = False,
) -> Numbers:  # fmt: skip
    """Return the measures of guilds' chats, also chat by chat: of one, only how it is remembered differs.

    With all units also Guild-Bench's; its deletions come last. `own_only` leaves out baselines and peers, here and
    below: where a model stands in, they would come out the same.
    """
    worlds = [load(each, progress=progress) for each in conversations]
    units = _units(unit, (name for name in OF_GUILDS if name not in PEERS or name in installed()), own_only=own_only)
    asks = {world.guild.pk: ways_to_ask(world, units=units, progress=progress, preset=preset) for world in worlds}

    def ready(world: LoadedGuild) -> Mapping[str, Ask]:
        return asks[world.guild.pk]

    found: Numbers = {**score(worlds, units=units, progress=progress, by_world=len(worlds) > 1, asks=ready)}
    if context:
        found["context"] = contexts(worlds, progress=progress)
    if unit is None:
        found["answers"] = refusals(worlds, progress=progress)
        bench = Bench()
        for done, world in enumerate(worlds, 1):
            bench.add(world, ready(world), progress=progress)
            progress("Guild-Bench", done, len(worlds))
        found["bench"] = bench.measures()
    return found


def recalled(
    conversations: Sequence[locomo.Conversation], *, unit: str | None, preset: str, context: bool, progress: Progress,
    own_only: bool = False,
) -> Numbers:  # fmt: skip
    """Return the measures of LoCoMo: the units, and under names of their own facts, notes and contexts."""
    worlds = [load(each, progress=progress) for each in conversations]
    units = _units(unit, (name for name in UNITS if name not in PEERS), own_only=own_only)
    found: Numbers = {**score(worlds, units=units, preset=preset, progress=progress)}
    if unit in (None, "facts"):
        found["extraction"] = gold_facts.extraction(worlds)
    if unit in (None, "notes"):
        found["summaries"] = gold_facts.summaries(worlds)
    if unit is None:
        found["answers"] = refusals(worlds, progress=progress)
    if context:
        found["context"] = contexts(worlds, progress=progress)
    return found


def retrieved(
    conversations: Sequence[locomo.Conversation], *, unit: str | None, preset: str, context: bool, progress: Progress,
    own_only: bool = False,
) -> Numbers:  # fmt: skip
    """Return how well the messages that questions refer to are found, beside BM25 and embeddings."""
    worlds = [load(each, progress=progress) for each in conversations]
    units = _units(unit, OF_PUBLISHED, own_only=own_only)
    found: Numbers = {**score(worlds, units=units, preset=preset, progress=progress)}
    if context:
        found["context"] = contexts(worlds, progress=progress)
    return found


def updated(changing: Sequence[beam.ChangingConversation], *, progress: Progress, own_only: bool = False) -> Numbers:
    """Return the measures of BEAM, which has no baselines to leave out."""
    return {"updates": updates(changing, progress=progress)}


def _units(only: str | None, units: Iterable[str], *, own_only: bool) -> list[str]:
    return [only] if only else [name for name in units if name in KINDS_OF or not own_only]


def _answers(name: str, dataset: str, *, limit: Decimal, price: Sequence[Decimal] | None) -> ModelAnswers:
    """Return the model by its name, with the answers that it gave already; raises CommandError."""
    try:
        choice = model_choice.parse(name, name="--model")
    except ModelFailed as failure:
        raise CommandError(str(failure)) from None
    if choice is None:
        raise CommandError("The rules are measured anyway; --model names what is to be set beside them.")
    file = settings.DATA_DIR / "evaluate" / f"{dataset}-{slugify(str(choice).replace(':', '-'))}.jsonl"
    return ModelAnswers(choice, file=file, limit=limit, price=Price(*price) if price else None)


def dollars(given: str) -> Decimal:
    """Return an amount of dollars, which is not negative; raises ValueError."""
    try:
        amount = Decimal(given)
    except InvalidOperation:
        raise ValueError from None
    if not (amount.is_finite() and amount >= 0):
        raise ValueError
    return amount


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


def _of_guilds(found: Numbers) -> list[str]:
    """Return Guild-Bench's tables: recall of each kind of question by unit, and what else was counted."""
    if "bench" not in found:
        return []
    units = [unit for unit in UNITS if unit in found]
    names = list(dict.fromkeys(name for unit in units for name in found[unit]))
    recall = [
        [name, f"{found[units[0]][name]['n']:.0f}", *(f"{found[unit][name]['recall@10']:.3f}" for unit in units)]
        for name in sorted(names, key=lambda name: name != ALL)
    ]
    systems: dict[str, dict[str, float]] = found["bench"]
    measures = dict.fromkeys(name for each in systems.values() for name in each if not name.endswith(": of"))
    counted = [[name, *(_cell(each, name) for each in systems.values())] for name in measures]
    return [as_table(["recall@10", "n", *units], recall), as_table(["Guild-Bench", *systems], counted)]


def _cell(measures: Mapping[str, float], name: str) -> str:
    if name not in measures:
        return "-"
    value, of = measures[name], measures.get(f"{name}: of")
    if of is None:
        return f"{value:,.0f}"
    return f"{value:.3f} of {of:.0f}" if value <= 1 else f"{value:.0f} a question"
