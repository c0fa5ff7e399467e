"""One view, two answers: the page for a browser, the fragment in it for htmx; and pages that count no rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.dateparse import parse_datetime
from django_htmx.middleware import HtmxDetails

from memoryhub.common import address

Row = TypeVar("Row", bound=Model)
PAGE_ROWS = 30


def details(request: HttpRequest) -> HtmxDetails:
    """Return what htmx says of the request; false when it was not sent by htmx."""
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    return htmx


def render_either(
    request: HttpRequest, page: str, fragment: str, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    """Render the page, which includes the fragment, or only the fragment when htmx is going to swap it in."""
    htmx = details(request)
    part = htmx and not htmx.boosted and not htmx.history_restore_request
    response = render(request, fragment if part else page, dict(context), status=status)
    patch_vary_headers(response, ["HX-Request"])  # else the Back button may show a bare fragment from the cache
    return response


@dataclass(frozen=True)
class Rows(Generic[Row]):
    """Some rows of a list, newest first, and the row to go on after (empty: that was all)."""

    items: list[Row]
    next: str = ""


def newest(rows: QuerySet[Row], *, before: str = "", by: str = "", limit: int = PAGE_ROWS) -> Rows[Row]:
    """Return the newest rows by id, or by the time in the field `by`, that come after the row `before`.

    A page starts where the last one ended instead of counting what it skips, so the hundredth is as quick as the first.
    """
    order = [f"-{by}", "-pk"] if by else ["-pk"]
    found = list(rows.filter(_older(before, by)).order_by(*order)[: limit + 1])
    if len(found) <= limit:
        return Rows(found)
    last = found[limit - 1]
    return Rows(found[:limit], f"{last.pk}_{getattr(last, by).isoformat()}" if by else str(last.pk))


def _older(before: str, by: str) -> Q:
    """Read the row that a page ended with; anything else is the beginning."""
    pk, _, text = before.partition("_")
    place = address.number(pk)
    if place is None or not by:
        return Q() if place is None else Q(pk__lt=place)
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or not moment.tzinfo:
        return Q()
    return Q(**{f"{by}__lt": moment}) | Q(**{by: moment, "pk__lt": place})


def ask(request: HttpRequest, question: str, text: str, *, button: str, back: str) -> HttpResponse:
    """Ask before something that can't be undone: the same address does it when the answer is posted."""
    context = {"question": question, "text": text, "button": button, "back": reverse(back)}
    return render_either(request, "memoryhub/question.html", "memoryhub/_question.html", context)
