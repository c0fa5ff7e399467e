"""Counts by reason what was not learned: messages that can't hold a fact, candidates that the guards refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Sum

from memory.models import LeftOut
from memoryhub.community.models import Guild
from memoryhub.server import instruments

Kind = LeftOut.Kind
WITHHELD = "withheld"
"""The platform did not show the text: the bot lacks a permission."""


@dataclass(frozen=True)
class SkipCount:
    """How often something was left out for a reason; `kind` is message or candidate."""

    kind: str
    reason: str
    count: int

    @property
    def title(self) -> str:
        """Return what is counted, for a person to read."""
        what = "Left out" if self.kind == Kind.MESSAGE else "Refused"
        return f"{what}: {self.reason.replace('_', ' ')}"


@transaction.atomic
def add_counts(guild: Guild, *, kind: Kind, reasons: Mapping[str, int], now: datetime) -> None:
    """Add to the day's counts; right across processes."""
    day = now.astimezone(UTC).date()
    for reason, number in reasons.items():
        instruments.counted().left_out.labels(kind, reason).inc(number)
        row, _ = LeftOut.objects.get_or_create(guild=guild, day=day, kind=kind, reason=reason)
        LeftOut.objects.filter(pk=row.pk).update(count=F("count") + number)


def counts_since(day: date, **where: Any) -> list[SkipCount]:
    """Return the sums from this day on, the most frequent first; `where` narrows the guilds."""
    sums = LeftOut.objects.filter(day__gte=day, **where).order_by().values_list("kind", "reason").annotate(Sum("count"))
    return _ordered(SkipCount(*values) for values in sums)


def summed(counts: Iterable[tuple[str, str, str, int]], *, since: date) -> list[SkipCount]:
    """Return the same of counts by day, kind and reason that were kept elsewhere."""
    sums = Counter[tuple[str, str]]()
    for day, kind, reason, number in counts:
        if day >= since.isoformat():
            sums[kind, reason] += number
    return _ordered(SkipCount(*what, number) for what, number in sums.items())


def _ordered(counts: Iterable[SkipCount]) -> list[SkipCount]:
    return sorted(counts, key=lambda row: (row.kind, -row.count, row.reason))
