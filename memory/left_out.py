"""Counts by reason what was not learned: messages that can't hold a fact, candidates that the guards refused."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import F

from memory.models import LeftOut
from profiles.models import Guild

Kind = LeftOut.Kind


@transaction.atomic
def count(guild: Guild, *, kind: Kind, reasons: Mapping[str, int], now: datetime) -> None:
    """Add to the day's counts; right across processes."""
    day = now.astimezone(UTC).date()
    for reason, number in reasons.items():
        key = {"guild": guild, "day": day, "kind": kind, "reason": reason}
        row, _ = LeftOut.objects.get_or_create(**key)
        LeftOut.objects.filter(pk=row.pk).update(count=F("count") + number)
