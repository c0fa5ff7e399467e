"""Reads what the memories are narrowed to out of an address, and says what is on offer."""

from __future__ import annotations

from collections.abc import Container, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.dateparse import parse_date

from memory.curation import browse
from memory.models import Fact
from memoryhub.common.htmx import number
from memoryhub.common.permissions import visible
from memoryhub.community.days import begin_of
from memoryhub.community.models import Channel, Guild, Member
from notes.views.notes import offered_channels

AGES: Mapping[str, tuple[str, int]] = {
    "day": ("The last day", 1), "week": ("The last week", 7), "month": ("The last 30 days", 30),
    "year": ("The last year", 365), "older": ("Over a year ago", 365),
}  # fmt: skip
CERTAINTY = {"sure": "High: 85 % and more", "likely": "Medium: 60 to 85 %", "doubtful": "Low: below 60 %"}
MARKS = {"pinned": "Pinned", "conflict": "May conflict with another"}


def read_filters(request: HttpRequest, guild: Guild | None) -> browse.Filters:
    """Return the filters; what is not on offer narrows nothing, and what is believed is shown unless asked."""
    age = _choice(request, "age", AGES)
    edge = timezone.now() - timedelta(days=AGES[age][1]) if age else None
    return browse.Filters(
        kind=_choice(request, "kind", Fact.Kind.values), source=_choice(request, "source", Fact.SourceType.values),
        certainty=_choice(request, "sure", CERTAINTY), mark=_choice(request, "mark", MARKS),
        status=_choice(request, "status", Fact.Status.values, default=Fact.Status.ACTIVE),
        since=None if age == "older" else edge, until=edge if age == "older" else None, as_of=as_of(request, guild),
        member=_row(request, Member, "member"), channel=_row(request, Channel, "channel"),
    )  # fmt: skip


def offered(request: HttpRequest, guild: Guild | None) -> dict[str, Any]:
    """Return what the form offers, and what of it is chosen that the filters don't say."""
    return {
        "guild": guild,
        "kinds": Fact.Kind.choices,
        "statuses": Fact.Status.choices,
        "sources": Fact.SourceType.choices,
        "certainties": CERTAINTY.items(),
        "marks": MARKS.items(),
        "ages": [(name, label) for name, (label, _) in AGES.items()],
        "age": _choice(request, "age", AGES),
        "channels": offered_channels(request, guild),
        "day": day(request),
    }


def day(request: HttpRequest) -> date | None:
    """Return the day of which one wants to know what was believed then."""
    try:
        return parse_date(request.GET.get("as_of", ""))
    except ValueError:
        return None


def as_of(request: HttpRequest, guild: Guild | None) -> datetime | None:
    """Return the end of that day, in the guild's time zone where there is one guild; None for now."""
    chosen = day(request)
    if chosen is None or not date.min < chosen < date.max:
        return None
    after = chosen + timedelta(days=1)
    return begin_of(guild, after) if guild else datetime.combine(after, time(), UTC)


def _choice(request: HttpRequest, name: str, offered: Container[str], default: str = "") -> str:
    value = request.GET.get(name, default)
    return value if value in offered else ""


def _row(request: HttpRequest, model: type[Any], name: str) -> Any:
    pk = number(request.GET.get(name))
    rows = model.objects.select_related("guild")
    return get_object_or_404(visible(rows, request.user), pk=pk) if pk else None
