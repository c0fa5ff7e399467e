"""The graph of who has to do with whom: a picture and a table, one pair with its messages, what is set by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_safe

from memoryhub import db
from memoryhub.common import graph_layout
from memoryhub.common.htmx import number, render_either
from memoryhub.common.permissions import actor, asked_guild, guilds_for, named_guild, visible
from memoryhub.community.models import Member
from profiles.models import Relationship, RelationshipDay
from profiles.relationships import relationship_store
from profiles.relationships.evidence import encounters_of_pair
from profiles.relationships.graph import Edge, edges

MOST_TIES = 80  # drawn; the strongest
DAYS = (("7", "The last week"), ("30", "The last month"), ("90", "The last three months"), ("all", "All the time"))
LATELY = "90"  # days; what is older has faded to half a hundredth
ENCOUNTERS = 20
FIRST_LEAST = 0.05


@dataclass(frozen=True)
class Dot:
    """A member in the picture."""

    member: Member
    x: float
    y: float
    size: float
    off: bool


@dataclass(frozen=True)
class Tie:
    """An edge in the picture: from where to where, how thick, and whether it is left out for now."""

    edge: Edge
    x1: float
    y1: float
    x2: float
    y2: float
    width: float
    off: bool


@require_safe
@db.on_replica
def graph(request: HttpRequest) -> HttpResponse:
    """Show a guild's graph as a picture and as a table, narrowed by time, strength and member."""
    guild = asked_guild(request) or guilds_for(request.user).first()
    context: dict[str, Any] = {"guild": guild}
    if guild is not None:
        days, wanted = request.GET.get("days", LATELY), number(request.GET.get("member"))
        people = visible(Member.objects.all(), request.user, guild)
        member = get_object_or_404(people, pk=wanted) if wanted else None
        least = _share(request.GET.get("least", ""), FIRST_LEAST)
        # Edges of every audience: who sees the guild's pages sees all of it.
        now, rows = timezone.now(), RelationshipDay.objects.of(guild)
        if most := number(days):
            rows = rows.filter(day__gte=(now - timedelta(days=min(most, 36_500))).date())
        touching = [member] if member else None
        ties, dots = _drawn(edges(rows, guild=guild, now=now, touching=touching, most=MOST_TIES), least)
        context |= {
            "ties": ties,
            "dots": dots,
            "shown": sum(not tie.off for tie in ties),
            "asked": {"days": days, "least": least, "member": member},
            "choices": DAYS,
            "width": graph_layout.WIDTH,
            "height": graph_layout.HEIGHT,
        }
    return render_either(request, "profiles/graph.html", "profiles/_graph.html", context)


def _share(text: str, default: float) -> float:
    """Read a number from 0 to 1; anything else is the default."""
    try:
        return min(1.0, max(0.0, float(text)))
    except ValueError:
        return default


def _drawn(shown: Sequence[Edge], least: float) -> tuple[list[Tie], list[Dot]]:
    """Return the picture: every tie has its place, so that nothing moves when the weak ones are left out."""
    places = graph_layout.place({(edge.first, edge.second): edge.strength for edge in shown})
    ties = [
        Tie(edge, *places[edge.first], *places[edge.second], round(1 + 7 * edge.strength, 1), edge.strength < least)
        for edge in shown
    ]
    dots = [
        Dot(member, *places[member], round(11 + 3 * len(own) ** 0.5, 1), all(tie.off for tie in own))
        for member in places
        if (own := [tie for tie in ties if member in (tie.edge.first, tie.edge.second)])
    ]
    return ties, dots


# --- One pair ----------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def relationship(request: HttpRequest) -> HttpResponse:
    """Show what two members' relationship rests on; set or clear an operator's level when one is posted."""
    params = request.POST if request.method == "POST" else request.GET
    people = visible(Member.objects.select_related("guild"), request.user)
    one, other = pair = [people.filter(pk=number(params.get(name, "")) or 0).first() for name in ("one", "other")]
    if one is None or other is None or one.guild_id != other.guild_id:
        return redirect("graph")
    if request.method == "POST":
        return _change(request, one, other)
    touching = edges(RelationshipDay.objects.of(one.guild), guild=one.guild, now=timezone.now(), touching=[one])
    edge = next((edge for edge in touching if edge.joins(one, other)), None)
    context = {
        "one": one,
        "other": other,
        "edge": edge,
        "set": Relationship.objects.filter(first__in=pair, second__in=pair).first(),
        "encounters": encounters_of_pair(one, other, limit=ENCOUNTERS) if edge else [],
    }
    return render(request, "profiles/relationship.html", context)


def _change(request: HttpRequest, one: Member, other: Member) -> HttpResponse:
    """Set the level that was posted; without one, clear it."""
    try:
        if request.POST.get("level"):
            level = _share(request.POST["level"], 0.5)
            relationship_store.set_level(one, other, level=level, actor=actor(request), now=timezone.now())
            messages.success(request, "The level is set. It stays until it is cleared.")
        else:
            relationship_store.clear_level(one, other)
            messages.success(request, "The level is cleared; what is counted stands again.")
    except relationship_store.RelationshipRefused as refused:
        messages.error(request, str(refused))
        return redirect("graph")
    return redirect(f"{reverse('relationship')}?{urlencode({'one': one.pk, 'other': other.pk})}")


@require_http_methods(["GET", "HEAD", "POST"])
def switch(request: HttpRequest) -> HttpResponse:
    """Ask whether a guild's graph is to be counted or dropped; do it when the answer is posted."""
    params = request.POST if request.method == "POST" else request.GET
    guild = named_guild(request.user, params.get("guild", ""))
    if guild is None:
        return redirect("graph")
    if request.method != "POST":
        return render_either(request, "profiles/graph_switch.html", "profiles/_graph_switch.html", {"guild": guild})
    relationship_store.switch(guild, on=request.POST.get("on") == "yes")
    counting = (
        "From now on it is counted who has to do with whom." if guild.relationships_on else "All counts are gone."
    )
    messages.success(request, counting)
    return redirect(f"{reverse('graph')}?{urlencode({'guild': guild.key})}")
