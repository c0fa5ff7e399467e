"""The home page, and the choice of light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from memory.curation import fact_review
from memory.curation.statistics import CallsOfDay, overview
from memory.importing.take_in import load_sample
from memory.views.logs import cost_charts
from memoryhub.common.charts import chart
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import guilds_for, operators_only, sees_everything
from memoryhub.site.health import model_name, warnings
from notes.models import Message

THEMES = ("light", "dark")
A_YEAR = 365 * 24 * 3600


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what the hub knows, does now and did lately."""
    now = timezone.now()
    guilds = None if sees_everything(request.user) else guilds_for(request.user)
    seen = overview(now=now, guilds=guilds)
    context = {
        "overview": seen,
        "charts": [
            chart("Messages", [(day.day, day.messages) for day in seen.days]),
            chart("Facts", [(day.day, day.facts) for day in seen.days]),
            chart("Notes", [(day.day, day.notes) for day in seen.days]),
        ],
        "costs": cost_charts(seen.calls, until=now.date()) if seen.calls else [],
        "purposes": _sums_by_purpose(seen.calls),
        "warnings": warnings(seen, now=now),
        "junk": fact_review.junk_statistics(guilds),
        "model": model_name(),
        "now": now,
    }
    return render_either(request, "memoryhub/home.html", "memoryhub/_now.html", context)


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
