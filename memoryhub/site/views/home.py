"""The home page, and the choice of light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from memory.curation import fact_review
from memory.curation.statistics import CallsOfDay, Day, overview
from memory.importing.sample import load_sample
from memory.views.logs import cost_charts
from memoryhub.common.charts import Chart, chart
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import guilds_for, operators_only, sees_everything
from memoryhub.site.health import model_name, warnings
from notes.models import Message

THEMES = ("light", "dark")
A_YEAR = 365 * 24 * 3600


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Show what the hub knows, does now and did lately."""
    now = timezone.now()
    guilds = None if sees_everything(request.user) else guilds_for(request.user)
    seen = overview(now=now, guilds=guilds)
    context = {
        "overview": seen,
        "charts": _charts(seen.days),
        "costs": cost_charts(seen.calls, until=now.date()) if seen.calls else [],
        "purposes": _purposes(seen.calls),
        "warnings": warnings(seen, now=now),
        "junk": fact_review.junk_statistics(guilds),
        "model": model_name(),
        "now": now,
    }
    return render_either(request, "memoryhub/home.html", "memoryhub/_now.html", context)


def _charts(days: Sequence[Day]) -> list[Chart]:
    return [
        chart("Messages", [(day.day, day.messages) for day in days]),
        chart("Facts", [(day.day, day.facts) for day in days]),
        chart("Notes", [(day.day, day.notes) for day in days]),
    ]


def _purposes(calls: Sequence[CallsOfDay]) -> list[tuple[str, int, int, Decimal]]:
    """Sum the calls by what they were for, the dearest first: purpose, calls, tokens, US dollars."""
    sums: dict[str, tuple[int, int, Decimal]] = {}
    for each in calls:
        known = sums.get(each.purpose, (0, 0, Decimal(0)))
        own = (each.calls, each.tokens_in + each.tokens_out, each.cost_usd)
        sums[each.purpose] = (known[0] + own[0], known[1] + own[1], known[2] + own[2])
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
        told = f"{count} messages of an invented community came in."
        messages.success(request, f"{told} The worker reads them now; in a minute this page says what it learned.")
    return redirect("home")


@require_POST
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
