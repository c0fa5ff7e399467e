"""Lists of the JSON API: a window into rows, walked by their ids, so that no page is slower than the first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, TypeVar

from django.db.models import Model, QuerySet
from pydantic import BaseModel, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

Row = TypeVar("Row", bound=Model)
Item = TypeVar("Item")
Out = TypeVar("Out")

LARGEST_ID = 2**63 - 1  # what a 64-bit column holds
RowId = Annotated[int, Field(ge=1, le=LARGEST_ID)]


def _handed_out(value: Any, checked: ValidatorFunctionWrapHandler) -> int:
    """Return the cursor as a number; of what is none say where it comes from, since that it is a number is ours."""
    try:
        number: int = checked(value)
    except ValidationError:
        raise ValueError("Must be the next cursor that the page before gave.") from None
    return number


Cursor = Annotated[RowId, WrapValidator(_handed_out)]
"""Where a list goes on."""


class Window(BaseModel):
    """What every list takes: how many, and the `next_cursor` of the page before."""

    limit: int = Field(default=50, ge=1, le=200)
    cursor: Cursor | None = None


class Page(BaseModel, Generic[Out]):
    """Some items and, unless these were the last, where to go on."""

    items: list[Out]
    next_cursor: str | None = None


def page(rows: QuerySet[Row], *, window: Window, show: Callable[[Row], Out], oldest_first: bool = False) -> Page[Out]:
    """Return one page of the rows, the newest first unless asked otherwise."""
    side, order = ("pk__gt", "pk") if oldest_first else ("pk__lt", "-pk")
    if window.cursor:
        rows = rows.filter(**{side: window.cursor})
    found = list(rows.order_by(order)[: window.limit + 1])
    shown = found[: window.limit]
    more = len(found) > window.limit
    return Page(items=[show(row) for row in shown], next_cursor=str(shown[-1].pk) if more else None)


def cut(ranked: Sequence[Item], *, window: Window, show: Callable[[Item], Out]) -> Page[Out]:
    """Return one page of what is ranked anew each time: its cursor is a place in the order."""
    start, end = window.cursor or 0, (window.cursor or 0) + window.limit
    return Page(items=[show(item) for item in ranked[start:end]], next_cursor=str(end) if len(ranked) > end else None)


def reach(window: Window) -> int:
    """Return how many of what is ranked must be known to show the page, and whether there is another."""
    return (window.cursor or 0) + window.limit + 1
