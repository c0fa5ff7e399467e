"""Memories: facts newest first, by member or found by a question, as they are or were; one fact with its evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.curation import browse
from memory.facts import at_odds, history, lineage
from memory.models import Fact, FactQuerySet
from memory.views.filters import offered, read_filters
from memoryhub import db
from memoryhub.common import address
from memoryhub.common.htmx import PAGE_ROWS, Rows, newest, render_either
from memoryhub.common.permissions import asked_guild, guilds_for, may_change, visible
from memoryhub.community.days import day_of
from memoryhub.community.models import Guild, Member

MAX_QUESTION = 400  # characters; a longer one is cut
COUNTED = 1_000  # rows; more are told as "over 1,000"
VIEWS = (
    ("Current", ""), ("Pinned", "mark=pinned"), ("May conflict", "mark=conflict"), ("Low confidence", "sure=doubtful"),
    ("Outdated", "status=superseded"), ("Archived", "status=archived"),
)  # fmt: skip
"""What is looked for often, by the query of its address."""


@dataclass
class Group:
    """The facts of one member on a page; no member: lore of the guild."""

    guild: Guild
    member: Member | None
    facts: list[Fact] = field(default_factory=list)


@require_safe
@db.on_replica
def memories(request: HttpRequest) -> HttpResponse:
    """Show the facts that the visitor asked for: best match first, member by member, or newest first."""
    guild = asked_guild(request)
    question = address.words(request.GET, "q", most=MAX_QUESTION)
    filters = read_filters(request, guild)
    facts = cast("FactQuerySet", visible(Fact.objects.all(), request.user, guild))
    before = request.GET.get("before", "")
    by_member = request.GET.get("order") == "member"
    if question:
        narrowed = filters.member or filters.channel
        guilds = [narrowed.guild] if narrowed else [guild] if guild else guilds_for(request.user)
        page = Rows(browse.search(facts, guilds=guilds, question=question, filters=filters, now=timezone.now()))
    elif by_member:
        matching = browse.apply_filters(facts, filters)
        page = Rows(*browse.page_by_member(matching, after=before, limit=PAGE_ROWS))
    else:
        page = newest(browse.apply_filters(facts, filters), before=before)
    if filters.as_of is not None:
        browse.worded_as_of(page.items, filters.as_of)
    context = {
        "groups": grouped(page.items) if by_member and not question else [],
        "listed": page.items if question or not by_member else [],
        "count": len(page.items) if question else _counted(browse.apply_filters(facts, filters)),
        "views": VIEWS,
        "next": page.next,
        "question": question,
        "filters": filters,
        "changing": may_change(request.user) and filters.as_of is None,
        "by_member": by_member,
        "ticked": request.GET.get("tick") == "page",
        **offered(request, guild),
    }
    return render_either(request, "memory/memories.html", "memory/_facts.html", context)


def _counted(facts: FactQuerySet) -> int:
    """Count the rows up to one more than are told."""
    return facts.order_by()[: COUNTED + 1].count()


def grouped(facts: Iterable[Fact]) -> list[Group]:
    """Put the facts of one member together; the members stand in the order of their first fact."""
    groups: dict[tuple[int, int | None], Group] = {}
    for fact in facts:
        group = groups.setdefault((fact.guild_id, fact.subject_id), Group(fact.guild, fact.subject))
        group.facts.append(fact)
    return list(groups.values())


@require_safe
def fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one fact: what it rests on and what happened to it."""
    rows = cast("FactQuerySet", visible(Fact.objects.all(), request.user))
    row = get_object_or_404(browse.with_evidence(rows), pk=pk)
    steps = history.steps_of(row)
    lines, notes = lineage.used_in(row)
    context = {
        "fact": row,
        "since": row.valid_from and day_of(row.guild, row.valid_from),
        "until": row.valid_until and day_of(row.guild, row.valid_until),
        "steps": steps,
        "lines": lines,
        "notes": notes,
        "at_odds": browse.with_evidence(rows).filter(pk__in=[each.pk for each in at_odds.beside([row])]),
        "undoable": history.undoable(steps),
        "replaced_by": row.replaced_by,
        "replaces": row.replaces.all()[: history.MOST],
    }
    return render(request, "memory/fact.html", context)
