"""Which tables belong to guilds: a row of such a table carries its guild, and so does every key of it."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist
from django.db import models

COLUMN = "guild_id"


def is_of_a_guild(model: type[models.Model]) -> bool:
    """Say whether every row of the model has a guild; what may have none belongs to the hub."""
    try:
        field = model._meta.get_field("guild")
    except FieldDoesNotExist:
        return False
    return isinstance(field, models.ForeignKey) and field.column == COLUMN and not field.null


@cache
def columns() -> dict[str, models.Field[Any, Any]]:
    """Return the tables that belong to guilds, each with its column that names the guild."""
    found = (model._meta for model in apps.get_models() if is_of_a_guild(model))
    return {meta.db_table: meta.get_field("guild") for meta in found}  # type: ignore[misc]
