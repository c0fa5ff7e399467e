"""The home page, and the choice of light or dark."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from memory.overview import Day, overview
from memoryhub.access import guilds_for, sees_everything
from memoryhub.charts import Chart, chart
from memoryhub.fragments import render_either
from memoryhub.health import model_name, warnings

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
        "warnings": warnings(seen, now=now),
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
