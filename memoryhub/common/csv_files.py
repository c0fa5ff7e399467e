"""Logs narrowed to days, and handed out as files for a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from io import StringIO
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

from memoryhub.common import address

Row = TypeVar("Row", bound=Model)
MOST_LINES = 10_000
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # with which a spreadsheet begins to reckon


def between(rows: QuerySet[Row], request: HttpRequest) -> tuple[QuerySet[Row], date | None, date | None]:
    """Return the rows of the days asked for (UTC, by their field `at`), and these days."""
    first, last = (address.day(request.GET.get(name, "")) for name in ("from", "to"))
    if first:
        rows = rows.filter(at__gte=datetime.combine(first, time(), UTC))
    if last:
        rows = rows.filter(at__lt=datetime.combine(last + timedelta(days=1), time(), UTC))
    return rows, first, last


def csv_file(name: str, heads: Sequence[str], lines: Iterable[Sequence[Any]]) -> HttpResponse:
    """Return the lines as a file; a cell that a spreadsheet would take for a formula begins with an apostrophe."""
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(heads)
    for line in lines:
        cells = ["" if cell is None else str(cell) for cell in line]
        writer.writerow([f"'{cell}" if cell.startswith(FORMULA) else cell for cell in cells])
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
