"""Logs: what models were asked and what it cost, what the hub and people did; ids and numbers, never text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any, TypeVar

from django.db.models import Count, Model, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.curation.statistics import DAYS, CallsOfDay, calls_by_day
from memory.models import Action, ModelCall
from memory.records import skipped
from memory.records.sentences import action_in_words, kind_in_words
from memoryhub import db
from memoryhub.common import address
from memoryhub.common.charts import Chart, chart, count, money
from memoryhub.common.csv_files import MOST_LINES, between, csv_file
from memoryhub.common.htmx import newest, render_either
from memoryhub.common.permissions import asked_guild, guilds_for, is_operator, visible
from memoryhub.community.models import Guild

Row = TypeVar("Row", bound=Model)
CHARTS: Sequence[tuple[str, Callable[[CallsOfDay], float], Callable[[float], str]]] = (
    ("Calls of models", lambda row: row.calls, count),
    ("Tokens", lambda row: row.tokens_in + row.tokens_out, count),
    ("Money", lambda row: float(row.cost_usd), money),
)


@require_safe
def model_calls(request: HttpRequest) -> HttpResponse:
    """Show the calls of models, the newest first, with the sums of the last 30 days."""
    now = timezone.now()
    guild = asked_guild(request)
    chosen = _chosen(request, "purpose", "model", "outcome")
    rows = _seen(ModelCall.objects.select_related("guild"), request, guild)
    narrowed, first, last = between(rows.filter(**chosen), request)
    if "csv" in request.GET:
        return _calls_file(narrowed)
    page = newest(narrowed, before=request.GET.get("before", ""))
    lately = rows.filter(at__gte=now - timedelta(days=DAYS))
    context = {
        "calls": page.items,
        "next": page.next,
        "guild": guild,
        "chosen": chosen,
        "first": first,
        "last": last,
        "offered": {name: _offered(lately, name) for name in ("purpose", "model", "outcome")},
        "sums": lately.order_by().aggregate(
            calls=Count("pk"), tokens_in=Sum("tokens_in"), tokens_out=Sum("tokens_out"), cost=Sum("cost_usd")
        ),
        "charts": cost_charts(calls_by_day(rows, now=now), until=now.date()),
    }
    return render_either(request, "memory/model_calls.html", "memory/_model_calls.html", context)


def _calls_file(rows: QuerySet[ModelCall]) -> HttpResponse:
    """Return the calls as a file for a spreadsheet: seconds, tokens and US dollars as plain numbers."""
    heads = ("at", "for", "model", "guild", "tokens_read", "tokens_written", "dollars", "seconds", "outcome", "error")
    return csv_file("model-calls.csv", heads, (
        (row.at.isoformat(), row.purpose, row.model, row.guild, row.tokens_in, row.tokens_out, row.cost_usd,
         row.seconds, row.outcome, row.error_class)
        for row in rows.order_by("-pk")[:MOST_LINES]
    ))  # fmt: skip


@require_safe
@db.on_replica
def actions(request: HttpRequest) -> HttpResponse:
    """Show the action log, the newest first, and what was left out lately and why."""
    guild = asked_guild(request)
    chosen = _chosen(request, "kind")
    rows = _seen(Action.objects.select_related("guild"), request, guild)
    narrowed, first, last = between(rows.filter(**chosen), request)
    if "csv" in request.GET:
        return csv_file("actions.csv", ("at", "what", "kind", "who", "guild", "details"), (
            (row.at.isoformat(), action_in_words(row.kind, row.detail), row.kind, row.actor, row.guild, row.detail)
            for row in narrowed.order_by("-pk")[:MOST_LINES]
        ))  # fmt: skip
    page = newest(narrowed, before=request.GET.get("before", ""))
    since = timezone.now() - timedelta(days=DAYS)
    guilds = Guild.objects.filter(pk=guild.pk) if guild else guilds_for(request.user)
    context = {
        "actions": page.items,
        "next": page.next,
        "guild": guild,
        "chosen": chosen,
        "first": first,
        "last": last,
        "offered": {"kind": _offered(rows.filter(at__gte=since), "kind")},
        "left_out": skipped.counts_since(since.date(), guild__in=guilds),
    }
    return render_either(request, "memory/actions.html", "memory/_actions.html", context)


def _seen(rows: QuerySet[Row], request: HttpRequest, guild: Guild | None) -> QuerySet[Row]:
    """Return the rows of the visitor's guilds; those of no guild are the operators' to see."""
    everything = guild is None and is_operator(request.user)
    return rows if everything else visible(rows, request.user, guild)


def _chosen(request: HttpRequest, *names: str) -> dict[str, str]:
    """Return the filters that are set, cut to what a column holds."""
    given = {name: address.words(request.GET, name, most=120) for name in names}
    return {name: value for name, value in given.items() if value}


def _offered(rows: QuerySet[Any], name: str) -> list[tuple[str, str]]:
    values = rows.order_by().values_list(name, flat=True).distinct()[:50]
    say = kind_in_words if name == "kind" else str
    return sorted(((value, say(value).replace("_", " ")) for value in values), key=lambda each: each[1])


def cost_charts(calls: Sequence[CallsOfDay], *, until: date) -> list[Chart]:
    """Draw calls, tokens and money of the 30 days up to this one."""
    days = [until - timedelta(days=back) for back in reversed(range(DAYS))]
    charts = []
    for name, value_of, say in CHARTS:
        sums = dict.fromkeys(days, 0.0)
        for row in calls:
            if row.day in sums:
                sums[row.day] += value_of(row)
        charts.append(chart(name, list(sums.items()), say=say))
    return charts
