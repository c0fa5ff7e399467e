"""Keeps what members did towards each other by day and channel, and tells how close they probably are (seed 003)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from django.db import transaction

from profiles.models import Channel, RelationshipDay
from profiles.strength import Counts

__all__ = ["Counts", "set_day"]
COUNTED = ["replies", "mentions", "together", "voice_minutes"]


@transaction.atomic
def set_day(channel: Channel, *, day: date, counts: Mapping[tuple[int, int], Counts]) -> None:
    """Put these counts, by (source, target) row ids, in place of those of the channel's day."""
    RelationshipDay.objects.filter(channel=channel, day=day).delete()
    RelationshipDay.objects.bulk_create(
        RelationshipDay(
            source_id=source, target_id=target, channel=channel, day=day,
            **{name: getattr(each, name) for name in COUNTED},
        )
        for (source, target), each in counts.items()
    )  # fmt: skip
