"""In which guild this thread works: while it is known, every condition on a guild's table names it.

Rows are told apart by their own ids. But a database that is spread by guild, or cut into parts by guild, must be told
where to look, and what is never asked of the whole table can never be another guild's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist
from django.db import models

COLUMN = "guild_id"
"""What every row of a guild carries, and every key of its table."""

_guild: ContextVar[int | None] = ContextVar("guild", default=None)
P = ParamSpec("P")
R = TypeVar("R")
Row = TypeVar("Row")
_END = object()


def current() -> int | None:
    """Return the row id of the guild in which this thread works; None: in no one guild."""
    return _guild.get()


def enter(place: Any) -> None:
    """Work in this guild, or in that of this row, until the request or the `inside` around it ends."""
    _guild.set(_id(place))


@contextmanager
def inside(place: Any) -> Iterator[None]:
    """Work in this guild, or in that of this row; in no one guild for None."""
    token = _guild.set(_id(place))
    try:
        yield
    finally:
        _guild.reset(token)


def in_its_guild(verb: Callable[P, R]) -> Callable[P, R]:
    """Let a function work in the guild of its first argument: a guild or a row of one; None leaves it as it is."""

    @wraps(verb)
    def inside_it(*args: P.args, **kwargs: P.kwargs) -> R:
        place = args[0] if args else next(iter(kwargs.values()))
        if place is None:
            return verb(*args, **kwargs)
        with inside(place):
            return verb(*args, **kwargs)

    return inside_it


def inside_each(place: Any, rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows, each one found inside the guild; whoever takes them stays where they are."""
    left = iter(rows)
    while True:
        with inside(place):
            row = next(left, _END)
        if row is _END:
            return
        yield cast("Row", row)


def _id(place: Any) -> int | None:
    if place is None or isinstance(place, int):
        return place
    if (found := getattr(place, COLUMN, None)) is not None:
        return int(found)
    return _id(place.guild) if hasattr(place, "guild") else int(place.pk)


# --- Which tables belong to guilds -------------------------------------------------------------------------------


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
