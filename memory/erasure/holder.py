"""What a holder of data is: it says what it holds, exports what is a member's, and takes out what must go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Model, QuerySet

from memory.erasure.mask import Masks
from memory.erasure.target import Target
from memoryhub.community.models import Member

Rows = Callable[[Target], QuerySet[Any]]
Exporter = Callable[[Member, Masks], Iterator[dict[str, Any]]]


@dataclass(frozen=True, kw_only=True)
class Holder:
    """One place where something of a member, a channel or a guild may lie.

    `erase` may be run twice, and completes what a killed run left; without it there is nothing of anybody, or it goes
    with the guild's own row. `file` and `export` are what a member gets.
    """

    name: str
    holds: str
    models: tuple[str, ...]
    count: Callable[[Target], int] = lambda _target: 0
    erase: Callable[[Target, datetime], None] = lambda _target, _now: None
    file: str = ""
    export: Exporter | None = None


def counting(rows: Rows) -> Callable[[Target], int]:
    """Return what counts these rows."""
    return lambda target: rows(target).count()


def deleting(rows: Rows) -> Callable[[Target, datetime], None]:
    """Return what deletes these rows, which nothing else follows."""

    def delete(target: Target, _now: datetime) -> None:
        rows(target).delete()

    return delete


def blanking(rows: Rows, **fields: Any) -> Callable[[Target, datetime], None]:
    """Return what sets these fields of the rows."""

    def blank(target: Target, _now: datetime) -> None:
        rows(target).update(**fields)

    return blank


def columns(row: Model, *names: str) -> dict[str, Any]:
    """Return these columns of a row by name, for an export."""
    return {name: getattr(row, name) for name in names}
