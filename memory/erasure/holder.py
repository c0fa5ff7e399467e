"""What a holder of data is: it says what it holds, exports what is a member's, and takes out what must go."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, ClassVar

from django.apps import apps
from django.db.models import Model, QuerySet

from memory.erasure.mask import Masks
from memory.erasure.target import Target
from memoryhub.community.models import Member


class Holder:
    """One place where something of a member, a channel or a guild may lie.

    The docstring of a holder is what members read about it. `models` are its tables. A holder without `rows` has
    nothing of anybody, or it goes with the guild's own row.
    """

    name: ClassVar[str]
    models: ClassVar[tuple[str, ...]] = ()
    file: ClassVar[str] = ""
    """What the export's file is called; empty where a member gets none."""

    @property
    def holds(self) -> str:
        """Return in a sentence what it holds."""
        return self.__doc__ or ""

    def rows(self, target: Target) -> QuerySet[Any] | None:
        """Return the rows that go or are changed."""
        return None

    def count(self, target: Target) -> int:
        """Return how much would go."""
        rows = self.rows(target)
        return 0 if rows is None else rows.count()

    def erase(self, target: Target, now: datetime) -> None:
        """Take it out; run again, this completes what a killed run left."""
        if (rows := self.rows(target)) is not None:
            rows.delete()

    def export(self, member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
        """Yield what is the member's, with the names of others hidden."""
        raise NotImplementedError


def columns(row: Model, *names: str) -> dict[str, Any]:
    """Return these columns of a row by name, for an export."""
    return {name: getattr(row, name) for name in names}


def rows_of(label: str) -> QuerySet[Any]:
    """Return the rows of a model of a floor above, which this one does not import."""
    rows: QuerySet[Any] = apps.get_model(label)._default_manager.all()
    return rows
