"""Reads what the memories are narrowed to out of an address, says what is on offer, and saves it for another time."""

from __future__ import annotations

from collections.abc import Container, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from memory.curation import browse
from memory.models import Fact
from memoryhub.common import address, undo
from memoryhub.common.permissions import visible
from memoryhub.community.days import begin_of
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.models import SavedFilter
from notes.views.notes import offered_channels

AGES: Mapping[str, tuple[str, int]] = {
    "day": ("The last day", 1), "week": ("The last week", 7), "month": ("The last 30 days", 30),
    "year": ("The last year", 365), "older": ("Over a year ago", 365),
}  # fmt: skip
CERTAINTY = {"sure": "High: 85 % and more", "likely": "Medium: 60 to 85 %", "doubtful": "Low: below 60 %"}
SAVED = ("q", "guild", "kind", "status", "as_of", "order", "channel", "source", "sure", "age", "mark", "member")
MOST_SAVED = 20  # of one person
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
        "saved": SavedFilter.objects.filter(user=request.user.pk),
        "narrowed": narrowing(request.GET),
    }


def narrowing(given: QueryDict) -> str:
    """Return what of an address narrows the memories, as a query: no pages, no ticks; empty where only a guild does."""
    kept = QueryDict(mutable=True)
    for name in SAVED:
        if value := given.get(name, "").replace("\0", "").strip():
            kept[name] = value
    return "" if set(kept) <= {"guild"} else kept.urlencode()


class SaveForm(forms.Form):
    """What a filter is called, and what it is."""

    name = forms.CharField(max_length=60, strip=True)
    query = forms.CharField(max_length=900)


@require_POST
@login_required
def save_filter(request: HttpRequest) -> HttpResponse:
    """Keep what the memories are narrowed to under a name, for who asks alone; a name that is there is set anew."""
    form = SaveForm(request.POST)
    query = narrowing(QueryDict(form.cleaned_data["query"].removeprefix("?"))) if form.is_valid() else ""
    mine = SavedFilter.objects.filter(user=request.user.pk)
    if not query:
        messages.error(request, "Nothing was saved: narrow something, and give it a name of at most 60 letters.")
    elif mine.exclude(name=form.cleaned_data["name"]).count() >= MOST_SAVED:
        messages.error(request, f"Nothing was saved: there are {MOST_SAVED} already. Remove one first.")
    else:
        name = form.cleaned_data["name"]
        SavedFilter.objects.update_or_create(user_id=cast("int", request.user.pk), name=name, defaults={"query": query})
        messages.success(request, f"Saved as {name}. Only you see it.")
    return redirect(f"{reverse('memories')}?{query}" if query else reverse("memories"))


@require_POST
@login_required
def drop_filter(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove one's own saved filter."""
    row = get_object_or_404(SavedFilter, pk=pk, user=request.user.pk)
    row.delete()
    back = undo.offer("save-filter", fields={"name": row.name, "query": row.query})
    messages.success(request, f"The filter {row.name} is removed.", extra_tags=back)
    return redirect("memories")


def day(request: HttpRequest) -> date | None:
    """Return the day of which one wants to know what was believed then."""
    return address.day(request.GET.get("as_of", ""))


def as_of(request: HttpRequest, guild: Guild | None) -> datetime | None:
    """Return the end of that day, in the guild's time zone where there is one guild; None for now."""
    chosen = day(request)
    if chosen is None:
        return None
    after = chosen + timedelta(days=1)
    return begin_of(guild, after) if guild else datetime.combine(after, time(), UTC)


def _choice(request: HttpRequest, name: str, offered: Container[str], default: str = "") -> str:
    value = request.GET.get(name, default)
    return value if value in offered else ""


def _row(request: HttpRequest, model: type[Any], name: str) -> Any:
    pk = address.number(request.GET.get(name))
    rows = model.objects.select_related("guild")
    return get_object_or_404(visible(rows, request.user), pk=pk) if pk else None
