"""Writes down what the hub did and what it cost: ids and counts, never text."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone

from memory.models import Action
from profiles.models import Guild


def log(kind: str, *, guild: Guild | None = None, actor: str = "", now: datetime | None = None, **detail: Any) -> None:
    """Add a line to the action log; `detail` holds ids, counts and reasons."""
    Action.objects.create(kind=kind, guild=guild, actor=actor, detail=detail, at=now or timezone.now())
