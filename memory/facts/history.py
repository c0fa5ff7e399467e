"""What happened to a fact, change by change, as a person reads it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.dateparse import parse_datetime

from memory.models import Fact, FactChange
from memoryhub.community.days import local
from memoryhub.community.models import Guild

MOST = 50


@dataclass(frozen=True)
class Line:
    """One thing that a change changed, in words."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Step:
    """One change: what it changed, how many sources it brought, which other facts the same decision touched."""

    change: FactChange
    lines: list[Line]
    brought: int
    others: list[FactChange]


def _day(value: datetime | None) -> str:
    return f"{value:%-d %B %Y}" if value else "open"


def _by_guilds_clock(guild: Guild, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a fact, the times in them by the guild's clock; what a change keeps of them is text."""
    read = {name: values[name] for name in ("valid_from", "valid_until") if values.get(name)}
    moments = {name: parse_datetime(each) if isinstance(each, str) else each for name, each in read.items()}
    return {**values, **{name: local(guild, moment) for name, moment in moments.items() if moment}}


FIELDS: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "text": ("Words", str),
    "kind": ("Kind", lambda value: str(Fact.Kind(value).label)),
    "confidence": ("Confidence", lambda value: f"{value:.0%}"),
    "source_type": ("Learned", lambda value: str(Fact.SourceType(value).label)),
    "status": ("Status", lambda value: str(Fact.Status(value).label)),
    "pinned": ("Pinned", lambda value: "yes" if value else "no"),
    "valid_from": ("True since", _day),
    "valid_until": ("True until", _day),
    "reinforcements": ("Said again", lambda value: f"{value} times"),
}


def undoable(steps: Sequence[Step]) -> datetime | None:
    """Return when the change was made that can be undone; of a fact that was only added there is none to undo.

    That one is archived or deleted.
    """
    newest = next((step for step in steps if step.change.stands), None)
    return newest.change.at if newest and newest.change.action != "add" else None


def steps_of(fact: Fact) -> list[Step]:
    """Return the fact's newest changes, each beside what it changed; the newest first."""
    changes = list(fact.changes.all()[:MOST])
    brought = Counter(source.batch for source in fact.evidence.all())
    others: dict[UUID, list[FactChange]] = defaultdict(list)
    together = FactChange.objects.filter(batch__in=[change.batch for change in changes], fact__guild=fact.guild_id)
    for row in together.exclude(fact=fact).select_related("fact").order_by("pk"):
        others[row.batch].append(row)
    after = _by_guilds_clock(fact.guild, vars(fact))
    steps = []
    for change in changes:
        before = _by_guilds_clock(fact.guild, change.before)
        lines = [Line(title, say(before[k]), say(after[k])) for k, (title, say) in FIELDS.items() if k in before]
        steps.append(
            Step(
                change=change, lines=[line for line in lines if line.before != line.after],
                brought=brought[change.batch], others=others[change.batch],
            )
        )  # fmt: skip
        after = before or after
    return steps
