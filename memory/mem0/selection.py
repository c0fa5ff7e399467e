"""Which facts a client's filters select: those that may be told, within the audiences that it names, not ended."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.http import Http404

from memory.mem0 import client_data, filter_grammar
from memory.models import Fact, FactQuerySet
from memory.recall import search
from memory.recall.results import Memory
from memoryhub import db
from memoryhub.common.api_scope import Call
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import remembered

READABLE = (Fact.Status.ACTIVE, Fact.Status.SUPERSEDED, Fact.Status.ARCHIVED)
"""What a client may ask for by its id; what waits for review is told nowhere else."""
NAMED = "WHERE guild_id = %s AND platform_id = %s AND NOT is_bot"
MORE_RUNS = "A search is answered in one run: name one run_id, or list the memories instead."


def guild_of(request: Call) -> Guild:
    """Return the one guild that the key is for; the door lets no other key in."""
    return request.auth.guild(request.auth.bound.key if request.auth.bound else "")


def fact_of(guild: Guild, memory_id: str, *, statuses: tuple[str, ...] = READABLE) -> Fact:
    """Return the fact of this id; raises Http404, also for what may not be told."""
    number = int(memory_id) if memory_id.isascii() and memory_id.isdigit() and len(memory_id) < 19 else 0
    fact = _with_names(told(guild)).filter(pk=number, status__in=statuses).first()
    if fact is None:
        raise Http404("Memory not found!")
    return fact


def listed(guild: Guild, wanted: Mapping[str, Any], *, now: datetime, show_expired: bool) -> FactQuerySet:
    """Return what is believed and selected, the newest first: of the whole guild, and of the runs that are named."""
    found = filter_grammar.parse(wanted)
    rows = told(guild).active().filter(found.condition)
    if not found.every_run:
        rows = rows.filter(Q(audience=None) | Q(audience__platform_id__in=found.runs))
    if not show_expired and client_data.any_expired(guild, now=now):
        rows = rows.exclude(client_data.expired(now))
    return _with_names(rows).order_by("-said_at", "-pk")


def to_forget(guild: Guild, wanted: Mapping[str, Any]) -> FactQuerySet:
    """Return all that is selected, whoever may be told of it and whatever became of it since."""
    return Fact.objects.of(guild).filter(filter_grammar.parse(wanted).condition)


def found(
    guild: Guild, wanted: Mapping[str, Any], *, question: str, limit: int, now: datetime, show_expired: bool
) -> list[Memory]:
    """Return the facts that answer the question, as the hub ranks them, among those selected."""
    chosen = filter_grammar.parse(wanted)
    if chosen.every_run or len(chosen.runs) > 1:
        raise filter_grammar.FilterRefused(MORE_RUNS)
    channel = Channel.objects.of(guild).filter(platform_id__in=chosen.runs).first() if chosen.runs else None
    hides = not show_expired and client_data.any_expired(guild, now=now)
    member = only = None
    if chosen.user is not None:
        member = next(iter(db.read(Member, NAMED, [guild.pk, chosen.user])), None)
        if member is None:
            return []
    if chosen.user is None or hides:
        rows = listed(guild, wanted, now=now, show_expired=show_expired)
        only = list(rows.order_by().values_list("pk", flat=True))
    return search.recall(
        guild, question=question, now=now, channel=channel, member=member, limit=limit, kinds=("fact",), only=only
    )


def told(guild: Guild) -> FactQuerySet:
    """Return the facts about those who may be remembered, and of the guild."""
    about = Q(subject=None) | Q(subject__is_bot=True) & ~Q(subject__remember=False) | remembered(guild, "subject__")
    return Fact.objects.of(guild).filter(about)


def _with_names(rows: FactQuerySet) -> FactQuerySet:
    return rows.select_related("guild", "subject", "channel")
