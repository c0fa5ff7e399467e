"""The page of plans and decisions: what is to come, what was decided, what is over; and the plans as a calendar."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import quote

from django.contrib import messages
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from memoryhub import db
from memoryhub.common import address
from memoryhub.common.htmx import newest, render_either
from memoryhub.common.permissions import one_guild, visible
from memoryhub.community.days import local
from memoryhub.community.models import Guild
from memoryhub.db.guild_scope import enter
from notes.arrangements import keeping, telling
from notes.arrangements.calendar_file import CONTENT_TYPE, calendar_of
from notes.arrangements.telling import Plan
from notes.models import Arrangement, ArrangementQuerySet
from notes.views.notes import offered_channels

SHOWN = 20  # of a part by itself
AT_A_GLANCE = 10  # of each part beside the others
COMING = 60  # plans to come, the next first
IN_A_CALENDAR = 1_000
WORDS = 200  # characters of a search
PARTS = {"decisions": "Decisions", "past": "Past plans", "aside": "Put aside"}
"""What may be shown by itself, by what stands for it in the address."""
PUT_ASIDE = "It is put aside: nobody is told of it any more. Under “Put aside” it can be taken back."
PUT_BACK = "It is told of again."


@require_safe
@db.on_replica
def plans(request: HttpRequest) -> HttpResponse:
    """Show what is planned and what was decided, of the largest guild when none is named."""
    guild, now = one_guild(request), timezone.now()
    part = request.GET.get("part", "")
    words = address.words(request.GET, "q", most=WORDS)
    asked = {"part": part if part in PARTS else "", "q": words, "channel": address.number(request.GET.get("channel"))}
    context = {"guild": guild, "asked": asked, "parts": PARTS, "channels": offered_channels(request, guild)}
    if guild is not None:
        context |= _of_one_part(request, guild, asked, now) if asked["part"] else _at_a_glance(guild, asked, now)
    return render_either(request, "notes/plans.html", "notes/_plans.html", context)


def _at_a_glance(guild: Guild, asked: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Return the plans to come, the next first, and the newest of the rest."""
    every = _narrowed(telling.plans(guild), asked)
    coming = every.upcoming(guild, now=now).order_by(F("due"), "pk")[:COMING]
    over = list(every.past(guild, now=now).order_by(F("due").desc(), "-pk")[: AT_A_GLANCE + 1])
    made = list(_decisions(guild, asked).order_by("-said_at", "-pk")[: AT_A_GLANCE + 1])
    return {
        "coming": [_shown(telling.plan_of(row, now=now), guild) for row in coming],
        "decisions": made[:AT_A_GLANCE], "more_decisions": len(made) > AT_A_GLANCE,
        "past": [_shown(telling.plan_of(row, now=now), guild) for row in over[:AT_A_GLANCE]],
        "more_past": len(over) > AT_A_GLANCE,
    }  # fmt: skip


def _of_one_part(request: HttpRequest, guild: Guild, asked: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Return a page of one part, the newest first."""
    rows = {
        "decisions": lambda: _decisions(guild, asked),
        "past": lambda: _narrowed(telling.plans(guild), asked).past(guild, now=now),
        "aside": lambda: _narrowed(_put_aside(guild), asked),
    }[asked["part"]]()
    page = newest(rows, by="said_at", limit=SHOWN, before=request.GET.get("before", ""))
    if asked["part"] != "past":
        return {asked["part"]: page.items, "next": page.next}
    return {"past": [_shown(telling.plan_of(row, now=now), guild) for row in page.items], "next": page.next}


def _decisions(guild: Guild, asked: dict[str, Any]) -> ArrangementQuerySet:
    """Return what stands, with what it superseded."""
    return _narrowed(telling.decisions(guild).standing(), asked).prefetch_related("replaces")


def _put_aside(guild: Guild) -> ArrangementQuerySet:
    return Arrangement.objects.of(guild).exclude(put_aside_at=None).select_related("message__author", "channel")


def _narrowed(rows: ArrangementQuerySet, asked: dict[str, Any]) -> ArrangementQuerySet:
    if asked["channel"]:
        rows = rows.filter(channel=asked["channel"])
    return telling.of_words(rows, asked["q"])


def _shown(plan: Plan, guild: Guild) -> dict[str, Any]:
    """Return a plan with its days as the guild's clocks show them."""
    return {
        "plan": plan, "row": plan.row, "source": plan.messages[-1] if plan.messages else None,
        "due": _day(plan.due, guild, all_day=plan.all_day),
        "was_due": _day(plan.was_due, guild, all_day=plan.was_all_day),
    }  # fmt: skip


def _day(moment: datetime | None, guild: Guild, *, all_day: bool) -> str:
    if moment is None:
        return ""
    shown = local(guild, moment)
    return f"{shown:%a %-d %B %Y}" if all_day else f"{shown:%a %-d %B %Y, %H:%M}"


@require_safe
@db.on_replica
def calendar(request: HttpRequest) -> HttpResponse:
    """Hand out the plans of a guild as an iCalendar file."""
    guild = one_guild(request)
    if guild is None:
        raise Http404("There is no guild yet.")
    now = timezone.now()
    rows = telling.plans(guild).order_by("-said_at", "-pk")[:IN_A_CALENDAR]
    text = calendar_of(guild, [telling.plan_of(row, now=now) for row in rows], now=now)
    disposition = {"Content-Disposition": 'attachment; filename="plans.ics"'}
    return HttpResponse(text, content_type=CONTENT_TYPE, headers=disposition)


@require_POST
def put_aside(request: HttpRequest, pk: int) -> HttpResponse:
    """Put a decision or plan aside that is none, or take that back, as the button said."""
    row = get_object_or_404(visible(Arrangement.objects.select_related("guild"), request.user), pk=pk)
    enter(row)
    aside = request.POST.get("aside") != "no"
    keeping.put_aside(row, aside=aside, now=timezone.now())
    messages.success(request, PUT_ASIDE if aside else PUT_BACK)
    return redirect(f"{reverse('plans')}?guild={quote(row.guild.key)}")
