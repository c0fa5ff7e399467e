"""The home page, and the choices that all pages obey: light or dark, and the guild."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from memory.curation import feed
from memory.curation.statistics import CallsOfDay, Totals, overview
from memory.importing.take_in import load_sample
from memory.views.logs import cost_charts
from memoryhub.common.charts import chart
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import (
    SWITCH,
    asked_guild,
    guilds_for,
    named_guild,
    operators_only,
    sees_everything,
)
from memoryhub.models import ApiKey
from memoryhub.site.frame import waiting, watched
from memoryhub.site.health import model_name, warnings
from notes.models import Message

THEMES = ("light", "dark")
EVENTS = 12
LISTS = (
    "memories", "review", "members", "who-knows", "notes", "catchup", "recaps", "plans", "channels", "graph", "ask",
    "studio", "snapshot", "work", "model-calls", "actions", "guild-settings", "webhooks", "audit", "find",
)  # fmt: skip
"""Pages that obey the switch in the frame; others are about one row, of whatever guild."""
A_YEAR = 365 * 24 * 3600


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what the hub knows, does now and did lately."""
    now, guild = timezone.now(), asked_guild(request)
    guilds = None if sees_everything(request.user) else guilds_for(request.user)
    seen = overview(guild, now=now, guilds=guilds)
    context = {
        "overview": seen,
        "guild": guild,
        "events": feed.recent(watched(request), now=now, limit=EVENTS),
        "needs": waiting(request, conflicts=True),
        "steps": _first_steps(seen.totals),
        "charts": [
            chart("Messages sent", [(day.day, day.messages) for day in seen.days]),
            chart("Memories learned", [(day.day, day.facts) for day in seen.days]),
            chart("Notes written", [(day.day, day.notes) for day in seen.days]),
        ],
        "costs": cost_charts(seen.calls, until=now.date()) if seen.calls else [],
        "purposes": _sums_by_purpose(seen.calls),
        "warnings": warnings(seen, now=now),
        "junk": seen.junk,
        "model": model_name(),
        "now": now,
    }
    return render_either(request, "memoryhub/home.html", "memoryhub/_now.html", context)


def _first_steps(totals: Totals) -> list[tuple[str, bool]]:
    """Return the first steps and whether each is done; nothing once all are."""
    steps = [
        ("bot", bool(settings.DISCORD_TOKEN) or ApiKey.objects.filter(revoked_at=None).exists()),
        ("message", totals.messages > 0),
        ("memory", totals.facts > 0),
    ]
    return [] if all(done for _, done in steps) else steps


def _sums_by_purpose(calls: Sequence[CallsOfDay]) -> list[tuple[str, int, int, Decimal]]:
    """Sum the calls by what they were for, the dearest first: purpose, calls, tokens, US dollars."""
    sums: dict[str, tuple[int, int, Decimal]] = {}
    for row in calls:
        count, tokens, cost = sums.get(row.purpose, (0, 0, Decimal(0)))
        sums[row.purpose] = (count + row.calls, tokens + row.tokens_in + row.tokens_out, cost + row.cost_usd)
    ranked = sorted(sums.items(), key=lambda item: (-item[1][2], -item[1][1]))
    return [(purpose.replace("_", " "), *numbers) for purpose, numbers in ranked]


@require_POST
@operators_only
def sample(request: HttpRequest) -> HttpResponse:
    """Load the sample community into a hub that is empty."""
    if Message.objects.exists():
        messages.error(request, "There are messages already. The sample is only for an empty hub.")
    else:
        count = load_sample(now=timezone.now())
        text = "The worker reads them now; in a minute this page says what it learned."
        messages.success(request, f"{count} messages of an invented community came in. {text}")
    return redirect("home")


@require_POST
def choose_guild(request: HttpRequest) -> HttpResponse:
    """Remember which guild all pages are about, in a cookie; an empty key means all of them."""
    guild = named_guild(request.user, request.POST.get("guild", "").replace("\0", ""))
    response = redirect(_page_without_guild(request))
    if guild is None:
        response.delete_cookie(SWITCH, samesite="Lax")
    else:
        response.set_cookie(SWITCH, quote(guild.key), max_age=A_YEAR, samesite="Lax", secure=request.is_secure())
    return response


def _page_without_guild(request: HttpRequest) -> str:
    """Return the list that the switch stood on, without the guild and the place in it; home, if it was no list."""
    back = urlsplit(request.headers.get("Referer", ""))
    if back.path not in {reverse(name) for name in LISTS}:
        return reverse("home")
    return back.path


@require_POST
@login_not_required
def theme(request: HttpRequest) -> HttpResponse:
    """Remember light or dark in a cookie; anything else means: as the system says."""
    back = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()})
    response = redirect(back if ours else "home")
    chosen = request.POST.get("theme")
    if chosen in THEMES:
        response.set_cookie("theme", chosen, max_age=A_YEAR, samesite="Lax", secure=request.is_secure())
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response
