"""Sets what models make of a data set beside what the rules make of it, with what each model cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from django.test.utils import override_settings

from memory.lab.evaluation.guild_bench import OURS, SUMS
from memory.lab.evaluation.scoring import ALL, KINDS_OF
from memory.lab.model_answers import Spending

RULES = "rules"
CHANGES = ("learnt", "new learnt", "inactive", "newer first")
Found = Mapping[str, Any]


def by_rules() -> AbstractContextManager[Any]:
    """Measure without a model, whatever the settings choose: nobody pays by mistake."""
    others = dict.fromkeys(("MEMORYHUB_CAREFUL_MODEL", "MEMORYHUB_REPLY_MODEL", "MEMORYHUB_FALLBACK_MODEL"), "")
    return override_settings(MEMORYHUB_MODEL="offline", **others)


def costs(spent: Spending) -> dict[str, float]:
    """Return what a model cost, by name: questions, tokens, dollars, and the seconds that were waited for answers."""
    return {
        "calls": spent.calls.total(), **{f"calls: {name}": number for name, number in sorted(spent.calls.items())},
        "calls without a usable answer": spent.failed, "tokens in": spent.tokens_in, "tokens out": spent.tokens_out,
        "dollars": round(float(spent.usd), 4), "seconds": round(spent.seconds, 1), "asked in this run": spent.asked_now,
    }  # fmt: skip


def compared(measured: Mapping[str, Found]) -> tuple[Sequence[str], list[list[str]]]:
    """Return the head and the lines of a table: each measure that any of them has, and a column for each."""
    columns = {name: dict(_measures(found)) for name, found in measured.items()}
    names = dict.fromkeys(name for values in columns.values() for name in values)
    lines = [[name, *(_cell(values.get(name)) for values in columns.values())] for name in names]
    return ["measure", *columns], lines


def _measures(found: Found) -> Iterator[tuple[str, float]]:
    for unit in KINDS_OF:
        if scores := found.get(unit, {}).get(ALL):
            yield f"{unit}: recall@10", float(scores["recall@10"])
            yield f"{unit}: mrr", float(scores["mrr"])
    for part in ("extraction", "summaries"):
        yield from ((name, float(value)) for name, value in found.get(part, {}).items() if name != "n")
    bench = found.get("bench", {}).get(OURS, {})
    yield from ((name, float(value)) for name, value in bench.items() if not name.endswith(": of") and name in LEARNT)
    for budget, scores in found.get("context", {}).get("context", {}).items():
        yield f"context of {budget} tokens: evidence inside", float(scores["evidence inside"])
    changed = found.get("updates", {}).get(ALL, {})
    yield from ((f"updates: {name}", float(changed[name])) for name in CHANGES if name in changed)
    yield from ((name, float(value)) for name, value in found.get("cost", {}).items())


LEARNT = {
    "facts found", "right person", "traps stored", "junk stored", "updates: old one learnt", "updates: old one ended",
    "updates: newer first", "private told elsewhere", "left by deletions", *SUMS[:1],
}  # fmt: skip
"""What of Guild-Bench's measures a model may change; calls and tokens are counted as its cost."""


def _cell(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value == int(value) and value > 1 else f"{value:.4g}"
