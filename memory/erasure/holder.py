"""What a holder of data is: it says what it holds, exports what is a member's, and takes out what must go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from memory.erasure.mask import Masks
from memory.erasure.target import Target
from memoryhub.community.models import Member

Rows = Callable[[Target], QuerySet[Any]]
Exporter = Callable[[Member, Masks], Iterator[dict[str, Any]]]


@dataclass(frozen=True, kw_only=True)
class Holder:
    """One place where something of a member, a channel or a guild may lie.

    `erase` may be run twice, and completes what a killed run left. `file` and `export` are what a member gets.
    """

    name: str
    holds: str
    models: tuple[str, ...]
    count: Callable[[Target], int]
    erase: Callable[[Target, datetime], None]
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


def count_nothing(_target: Target) -> int:
    """Count nothing: there is nothing of anybody here."""
    return 0


def erase_nothing(_target: Target, _now: datetime) -> None:
    """Take nothing out: there is nothing of anybody here, or it goes with the guild's own row."""
