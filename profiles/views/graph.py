"""The graph of who has to do with whom: a picture and a table, one pair with its messages, what is set by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_safe

from memoryhub import db
from memoryhub.common import address
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import actor, changers_only, named_guild, one_guild, visible
from memoryhub.community.days import day_of
from memoryhub.community.models import Guild, Member
from memoryhub.db.guild_scope import enter
from profiles.models import Relationship, RelationshipDay, RelationshipDayQuerySet
from profiles.relationships import relationship_store
from profiles.relationships.evidence import encounters_of_pair
from profiles.relationships.graph import Edge, edges
from profiles.relationships.stated import StatedTie, stated_ties
from profiles.relationships.strength import Counts
from profiles.views import graph_layout

MOST_TIES = 80  # drawn; the strongest
MOST_STATED = 40  # of what was told, besides these
DAYS = (("7", "The last week"), ("30", "The last month"), ("90", "The last three months"), ("all", "All the time"))
LATELY = "90"  # days; what is older has faded to half a hundredth
ENCOUNTERS = 20
FIRST_LEAST = 0.0
WEAKEST = 0.05  # a tie as strong as this is drawn as thick as it gets only where none is stronger
MOST_DAYS = 36_500
MOST_NAME = 100  # characters of a name that are searched for
EDGE = 110  # from the picture's side: a name or word begins or ends at its place there


def _side(x: float) -> str:
    """Return which end of a word stands there, so that it is not cut off at the picture's edge."""
    return "start" if x < EDGE else "end" if x > graph_layout.WIDTH - EDGE else "middle"


@dataclass(frozen=True, kw_only=True)
class Dot:
    """A member in the picture; `community` numbers who have most to do with each other, the largest group first."""

    member: Member
    x: float
    y: float
    size: float
    community: int
    ties: int
    off: bool
    found: bool

    @property
    def side(self) -> str:
        """Return from where the name runs."""
        return _side(self.x)


@dataclass(frozen=True, kw_only=True)
class Tie:
    """An edge in the picture: from where to where, how thick, what was stated, and whether it is left out for now."""

    edge: Edge
    ends: tuple[float, float, float, float]
    width: float
    stated: Sequence[StatedTie]
    there: bool  # at the time that is asked for
    off: bool

    @property
    def slid(self) -> float:
        """Return up to which place of the slider it is drawn: the stated at each, what was not yet there at none."""
        return 1.0 if self.stated else self.edge.strength if self.there else -1.0

    @property
    def middle(self) -> tuple[float, float]:
        """Return where its word stands."""
        x1, y1, x2, y2 = self.ends
        return round((x1 + x2) / 2, 1), round((y1 + y2) / 2, 1)

    @property
    def side(self) -> str:
        """Return from where its word runs."""
        return _side(self.middle[0])

    @property
    def word(self) -> str:
        """Return the word by which they told who they are to each other; empty where nobody did."""
        return next((tie.word or "stated" for tie in self.stated), "")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the picture is narrowed to; `back` moves the end of the time so many days into the past."""

    days: str
    back: int
    span: int
    least: float
    member: Member | None
    who: str

    @property
    def slid(self) -> int:
        """Return where the slider of time stands: 0 is today."""
        return -self.back


@require_safe
@db.on_replica
def graph(request: HttpRequest) -> HttpResponse:
    """Show a guild's graph as a picture and as a table, narrowed by time, strength and member."""
    guild = one_guild(request)
    context: dict[str, Any] = {"guild": guild}
    if guild is not None:
        now = timezone.now()
        asked = _asked(request, guild, now)
        then = now - timedelta(days=asked.back)
        shown, strengths = _edges(guild, asked, now=now, then=then)
        stated = _stated(guild, as_of=then if asked.back else None)
        besides = _stated_besides(shown, stated, guild, asked, now=now)
        ties, dots = _drawn([*shown, *besides], strengths, stated, asked)
        context |= {
            "ties": ties,
            "rows": sorted(ties, key=lambda tie: (not tie.stated, -tie.edge.strength)),
            "dots": dots,
            "groups": _groups(dots),
            "crowd": len(dots) > graph_layout.CROWD,
            "shown": sum(not tie.off for tie in ties),
            "asked": asked,
            "then": day_of(guild, then),
            "choices": DAYS,
            "width": graph_layout.WIDTH,
            "height": graph_layout.HEIGHT,
        }
    return render_either(request, "profiles/graph.html", "profiles/_graph.html", context)


def _asked(request: HttpRequest, guild: Guild, now: datetime) -> Asked:
    days, wanted = request.GET.get("days", LATELY), address.number(request.GET.get("member"))
    people = visible(Member.objects.all(), request.user, guild)
    span = min(address.number(days) or 0, MOST_DAYS)
    if not span:
        first = RelationshipDay.objects.of(guild).order_by("day").values_list("day", flat=True).first()
        span = max((day_of(guild, now) - first).days, 1) if first else 1
    return Asked(
        days=days,
        back=min(address.number(request.GET.get("back", "").removeprefix("-")) or 0, span),
        span=span,
        least=_share(request.GET.get("least", ""), FIRST_LEAST),
        member=get_object_or_404(people, pk=wanted) if wanted else None,
        who=address.words(request.GET, "q", most=MOST_NAME),
    )


def _edges(
    guild: Guild, asked: Asked, *, now: datetime, then: datetime
) -> tuple[list[Edge], Mapping[frozenset[int], float]]:
    """Return the edges of today, which have their places whatever the time, and how strong each was then.

    Edges of every audience: who sees the guild's pages sees all of it.
    """
    rows = _rows(guild, asked, now=now)
    touching = [asked.member] if asked.member else None
    shown = edges(rows, guild=guild, now=now, touching=touching, most=MOST_TIES)
    if not asked.back:
        return shown, {_pair(edge): edge.strength for edge in shown}
    past = edges(rows.filter(day__lte=day_of(guild, then)), guild=guild, now=then, touching=touching)
    return shown, {_pair(edge): edge.strength for edge in past}


def _rows(guild: Guild, asked: Asked, *, now: datetime) -> RelationshipDayQuerySet:
    rows = RelationshipDay.objects.of(guild)
    return rows.filter(day__gte=day_of(guild, now) - timedelta(days=asked.span)) if address.number(asked.days) else rows


def _pair(edge: Edge) -> frozenset[int]:
    return frozenset((edge.first.pk, edge.second.pk))


def _stated(guild: Guild, *, as_of: datetime | None) -> dict[frozenset[int], list[StatedTie]]:
    """Return what members told of each other, by pair."""
    found: dict[frozenset[int], list[StatedTie]] = {}
    for tie in stated_ties(guild, as_of=as_of) if guild.relationships_on else ():
        found.setdefault(tie.pair, []).append(tie)
    return found


def _stated_besides(
    shown: Sequence[Edge], stated: Mapping[frozenset[int], Sequence[StatedTie]], guild: Guild, asked: Asked,
    *, now: datetime,
) -> list[Edge]:  # fmt: skip
    """Return edges for who told of each other and are not among the strongest, counted or not."""
    drawn, member = {_pair(edge) for edge in shown}, asked.member
    missing = [told[0] for pair, told in stated.items() if pair not in drawn and (not member or member.pk in pair)]
    if not missing:
        return []
    ids = {pk for tie in missing[:MOST_STATED] for pk in tie.pair}
    rows = _rows(guild, asked, now=now).filter(source__in=ids, target__in=ids)
    counted = {_pair(edge): edge for edge in edges(rows, guild=guild, now=now)}
    return [counted.get(tie.pair) or _uncounted(tie) for tie in missing[:MOST_STATED]]


def _uncounted(tie: StatedTie) -> Edge:
    return Edge(first=tie.subject, second=tie.other, forth=Counts(), back=Counts(), counted=0.0, confidence=0.0)


def _share(text: str, default: float) -> float:
    """Read a number from 0 to 1; anything else is the default."""
    try:
        return min(1.0, max(0.0, float(text)))
    except ValueError:
        return default


def _drawn(
    shown: Sequence[Edge], strengths: Mapping[frozenset[int], float],
    stated: Mapping[frozenset[int], Sequence[StatedTie]], asked: Asked,
) -> tuple[list[Tie], list[Dot]]:  # fmt: skip
    """Return the picture: every tie has its place, so that nothing moves when the weak ones are left out.

    A stated tie is never left out for being weak, and places and communities go by all that was ever counted.
    """
    ground = {(edge.first, edge.second): max(edge.confidence, 0.5 * bool(stated.get(_pair(edge)))) for edge in shown}
    places, groups = graph_layout.place(ground), graph_layout.communities(ground)
    ties, strongest = [], max([*strengths.values(), WEAKEST])
    for edge in shown:
        strength, told = strengths.get(_pair(edge), None if asked.back else edge.strength), stated.get(_pair(edge), ())
        now_there = replace(edge, counted=strength or 0.0, level=edge.level if strength is not None else None)
        off = not told and (strength is None or strength < asked.least)
        width = round(1.5 + 8 * min(1, (strength or 0) / strongest) ** 0.8, 1)
        ends = (*places[edge.first], *places[edge.second])
        ties.append(Tie(edge=now_there, ends=ends, width=width, stated=told, there=strength is not None, off=off))
    ties.sort(key=lambda tie: bool(tie.stated))  # those are drawn over the others
    return ties, [_dot(member, places[member], groups[member], ties, asked.who) for member in places]


def _dot(member: Member, place: tuple[float, float], community: int, ties: Sequence[Tie], who: str) -> Dot:
    own = [tie for tie in ties if member in (tie.edge.first, tie.edge.second) and not tie.off]
    size = round(8 + 7 * sum(tie.edge.strength for tie in own) ** 0.5, 1)
    found = bool(who) and who.casefold() in str(member).casefold()
    return Dot(
        member=member, x=place[0], y=place[1], size=min(size, 26), community=community, ties=len(own), off=not own,
        found=found,
    )  # fmt: skip


def _groups(dots: Sequence[Dot]) -> list[tuple[int, list[Dot]]]:
    """Return the communities of more than one, the largest first, for the legend."""
    ordered = sorted((dot for dot in dots if not dot.off), key=lambda dot: (dot.community, -dot.size))
    groups = [(number, list(own)) for number, own in groupby(ordered, key=lambda dot: dot.community)]
    return [(number, own) for number, own in groups if len(own) > 1]


# --- One pair ----------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def relationship(request: HttpRequest) -> HttpResponse:
    """Show what two members' relationship rests on; set or clear an operator's level when one is posted."""
    params = request.POST if request.method == "POST" else request.GET
    people = visible(Member.objects.select_related("guild"), request.user)
    one, other = pair = [
        people.filter(pk=address.number(params.get(name, "")) or 0).first() for name in ("one", "other")
    ]
    if one is None or other is None or one.guild_id != other.guild_id:
        return redirect("graph")
    enter(one)
    if request.method == "POST":
        return _change(request, one, other)
    touching = edges(RelationshipDay.objects.of(one.guild), guild=one.guild, now=timezone.now(), touching=[one])
    edge = next((edge for edge in touching if edge.joins(one, other)), None)
    context = {
        "one": one,
        "other": other,
        "edge": edge,
        "stated": stated_ties(one.guild, touching=[one, other]),
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
@changers_only
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
