"""Keeps the days on which members had to do with each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from django.db import transaction

from profiles.models import Guild, RelationshipDay


@dataclass
class Counts:
    """What one member did towards another on one day."""

    replies: int = 0
    mentions: int = 0
    together: int = 0


@transaction.atomic
def set_day(guild: Guild, *, day: date, counts: Mapping[tuple[int, int], Counts]) -> None:
    """Put these counts, by (source, target) row ids, in place of the day's; minutes of voice are kept."""
    there = RelationshipDay.objects.filter(source__guild=guild, day=day)
    there.update(replies=0, mentions=0, together=0)
    rows = [
        RelationshipDay(source_id=a, target_id=b, day=day, replies=c.replies, mentions=c.mentions, together=c.together)
        for (a, b), c in counts.items()
    ]
    RelationshipDay.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["source", "target", "day"],
        update_fields=["replies", "mentions", "together"],
    )
    there.filter(replies=0, mentions=0, together=0, voice_minutes=0).delete()
