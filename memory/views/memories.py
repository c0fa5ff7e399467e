"""Memories: facts grouped by member, found by a question; one fact with its evidence; its deletion."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_safe

from memory import browsing, forgetting
from memory.models import Fact
from memoryhub.access import actor, guilds_for, named_guild, visible
from memoryhub.fragments import Rows, details, newest, number, render_either
from profiles.models import Guild, Member

MAX_QUESTION = 400  # characters; a longer one is cut


@dataclass
class Group:
    """The facts of one member on a page; no member: lore of the guild."""

    guild: Guild
    member: Member | None
    facts: list[Fact] = field(default_factory=list)


@require_safe
@login_required
def memories(request: HttpRequest) -> HttpResponse:
    """Show the facts that the visitor asked for, grouped by member."""
    guilds = guilds_for(request.user)
    guild = named_guild(request.user, request.GET.get("guild", ""))
    question = request.GET.get("q", "").replace("\0", "").strip()[:MAX_QUESTION]
    filters = _filters(request)
    facts = visible(Fact.objects.all(), request.user, guild)
    page = (
        Rows(_search(facts, guilds, guild, question, filters))
        if question
        else newest(browsing.matching(facts, filters), before=request.GET.get("before", ""))
    )
    context = {
        "groups": grouped(page.items),
        "next": page.next,
        "question": question,
        "filters": filters,
        "guild": guild,
        "guilds": guilds,
        "kinds": Fact.Kind.choices,
        "statuses": Fact.Status.choices,
    }
    return render_either(request, "memory/memories.html", "memory/_facts.html", context)


def _filters(request: HttpRequest) -> browsing.Filters:
    """Read the filters; a value that is not on offer narrows nothing, and what is believed is shown unless asked."""
    kind = request.GET.get("kind", "")
    status = request.GET.get("status", Fact.Status.ACTIVE)
    member = number(request.GET.get("member"))
    return browsing.Filters(
        kind=kind if kind in Fact.Kind.values else "",
        status=status if status in Fact.Status.values else "",
        member=get_object_or_404(visible(Member.objects.select_related("guild"), request.user), pk=member)
        if member
        else None,
    )


def _search(
    facts: QuerySet[Fact], guilds: QuerySet[Guild], guild: Guild | None, question: str, filters: browsing.Filters
) -> list[Fact]:
    asked = [filters.member.guild] if filters.member else [guild] if guild else guilds
    return browsing.search(facts, guilds=asked, question=question, filters=filters, now=timezone.now())


def grouped(facts: Iterable[Fact]) -> list[Group]:
    """Put the facts of one member together; the members stand in the order of their first fact."""
    groups: dict[tuple[int, int | None], Group] = {}
    for fact in facts:
        group = groups.setdefault((fact.guild_id, fact.subject_id), Group(fact.guild, fact.subject))
        group.facts.append(fact)
    return list(groups.values())


@require_safe
@login_required
def fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one fact: what it rests on and what happened to it."""
    found = get_object_or_404(browsing.with_evidence(visible(Fact.objects.all(), request.user)), pk=pk)
    context = {"fact": found, "changes": found.changes.all()[:50], "replaced_by": found.replaced_by}
    return render(request, "memory/fact.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete_fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask whether the fact is to be forgotten (a page, or a dialog for htmx); forget it when the answer is posted."""
    found = get_object_or_404(visible(Fact.objects.select_related("subject"), request.user), pk=pk)
    back = page_before(request, found)
    if request.method != "POST":
        context = {"fact": found, "back": back}
        return render_either(request, "memory/delete_fact.html", "memory/_delete_fact.html", context)
    forgetting.forget_fact(found, actor=actor(request), now=timezone.now())
    messages.success(request, "The fact is forgotten, and with it its evidence and its history.")
    return redirect(back)


def page_before(request: HttpRequest, found: Fact) -> str:
    """Return the page to go back to: the one the dialog opened on, if it is ours and outlives the fact."""
    asked = request.POST.get("back") or details(request).current_url_abs_path or ""
    ours = asked.startswith("/") and url_has_allowed_host_and_scheme(asked, allowed_hosts=None)
    own = reverse("fact", args=[found.pk])
    return asked if ours and not asked.startswith(own) else reverse("memories")
