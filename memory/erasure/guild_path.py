"""Finds the way from any table to the guild its rows belong to, so that a scan stays inside one guild."""

from __future__ import annotations

from collections import deque
from functools import cache
from typing import Any

from django.db.models import ForeignKey, Model, QuerySet

from memoryhub.community.models import Guild


@cache
def path(model: type[Model]) -> str | None:
    """Return the shortest way over foreign keys to a guild, as a lookup; None where there is none."""
    if model is Guild:
        return "pk"
    if any(field.name == "guild_id" for field in model._meta.concrete_fields):
        return "guild_id"  # a plain number: the row outlives its guild
    waiting: deque[tuple[type[Model], str]] = deque([(model, "")])
    seen = {model}
    while waiting:
        here, way = waiting.popleft()
        for field in (each for each in here._meta.concrete_fields if isinstance(each, ForeignKey)):
            there = field.related_model
            if there is Guild:
                return f"{way}{field.name}"
            if isinstance(there, type) and there not in seen:
                seen.add(there)
                waiting.append((there, f"{way}{field.name}__"))
    return None


def of_guild(model: type[Model], guild: int) -> QuerySet[Any]:
    """Return the rows of a guild; all rows of a table that knows no guild."""
    way = path(model)
    rows = model._default_manager.all()
    return rows.filter(**{way: guild}) if way else rows
