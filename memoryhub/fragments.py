"""One view, two answers: the page for a browser, the fragment in it for htmx; and pages that count no rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails

Row = TypeVar("Row", bound=Model)
PAGE_ROWS = 30


class HtmxRequest(HttpRequest):
    """A request as the htmx middleware leaves it."""

    htmx: HtmxDetails


def render_either(request: HttpRequest, page: str, fragment: str, context: Mapping[str, Any]) -> HttpResponse:
    """Render the page, which includes the fragment, or only the fragment when htmx is going to swap it in."""
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    part = htmx and not htmx.boosted and not htmx.history_restore_request
    response = render(request, fragment if part else page, dict(context))
    patch_vary_headers(response, ["HX-Request"])  # else the Back button may show a bare fragment from the cache
    return response


@dataclass(frozen=True)
class Rows(Generic[Row]):
    """Some rows of a list, newest first, and the row to go on after (None: that was all)."""

    items: list[Row]
    next: int | None = None


def newest(rows: QuerySet[Row], *, before: int | None = None, limit: int = PAGE_ROWS) -> Rows[Row]:
    """Return the rows with the largest ids below `before`: walked by key, so quick however many rows there are."""
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows.order_by("-pk")[: limit + 1])
    return Rows(found[:limit], found[limit - 1].pk if len(found) > limit else None)


def number(text: str | None) -> int | None:
    """Read a row id out of an address; what is no id is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None
