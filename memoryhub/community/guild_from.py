"""The guild of a row that hangs on another row: taken over from that one in a single place, when it is written."""

from __future__ import annotations

from typing import Any

from django.db import models


class GuildFrom(models.ForeignKey):  # type: ignore[type-arg]
    """The guild of a row, which is always that of its parent: whoever makes the row need not name it.

    A row that is made of its parent's id alone should be given the guild too, or the parent is read for it.
    """

    def __init__(self, parent: str, **options: Any) -> None:
        self.parent = parent
        fields = {"to": "community.Guild", "on_delete": models.CASCADE, "related_name": "+"}
        super().__init__(**{**fields, "db_index": False, "editable": False, **options})

    def deconstruct(self) -> Any:
        """Return what migrations write down of it."""
        name, path, args, options = super().deconstruct()
        return name, path, args, {**options, "parent": self.parent}

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:  # noqa: FBT001
        """Return the guild to write; a new row takes it from its parent."""
        if add and getattr(model_instance, self.attname) is None:
            setattr(model_instance, self.attname, getattr(model_instance, self.parent).guild_id)
        return super().pre_save(model_instance, add)
