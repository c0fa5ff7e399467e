"""Counts by reason what was not learned: messages that can't hold a fact, candidates that the guards refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.db.models import Sum

from memory.models import LeftOut
from memoryhub import db
from memoryhub.community.models import Guild
from memoryhub.server import instruments

Kind = LeftOut.Kind
WITHHELD = "withheld"
"""The platform did not show the text: the bot lacks a permission."""
# ruff: noqa: S608  (the table's name is the model's; every value is a parameter)
TABLE = LeftOut._meta.db_table
ADD = f"""INSERT INTO {TABLE} (guild_id, day, kind, reason, count) VALUES {{rows}}
    ON CONFLICT (guild_id, day, kind, reason) DO UPDATE SET count = {TABLE}.count + excluded.count"""


SAID = {
    "ungrounded": "not what the message says", "no quote": "words that are not in the message",
    "instruction": "instruction to the bot", "secret": "password, key or number", "doubt": "only supposed",
    "unknown subject": "about nobody who is known", "opted out": "about somebody who opted out",
}  # fmt: skip
"""Reasons that need more words on a page than in a count."""


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
        reason = self.reason.replace("_", " ")
        return f"{what}: {SAID.get(reason, reason)}"


def add_counts(guild: Guild, *, kind: Kind, reasons: Mapping[str, int], now: datetime) -> None:
    """Add to the day's counts; right across processes."""
    add_all(guild, {(kind, reason): number for reason, number in reasons.items()}, now=now)


def add_all(guild: Guild, counts: Mapping[tuple[Kind, str], int], *, now: datetime) -> None:
    """Add to the day's counts of several kinds and reasons with one statement; right across processes."""
    day, values = now.astimezone(UTC).date().isoformat(), list[object]()
    for (kind, reason), number in sorted(counts.items()):  # all in one order, so that two never wait for each other
        instruments.counted().left_out.labels(kind, reason).inc(number)
        values += guild.pk, day, str(kind), reason, number
    if values:
        db.run(ADD.format(rows=", ".join(["(%s, %s, %s, %s, %s)"] * len(counts))), values)


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
