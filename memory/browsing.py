"""Facts as a person browses them: filtered, newest first, or found by a question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch, QuerySet

from memory.models import Evidence, Fact
from memory.recall import Memory, recall
from profiles.models import Guild, Member

FOUND = 24  # facts; as many as recall gives at most
SEARCHED_GUILDS = 20


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What a list of facts is narrowed to; an empty field narrows nothing."""

    kind: str = ""
    status: str = Fact.Status.ACTIVE
    member: Member | None = None


def matching(facts: QuerySet[Fact], filters: Filters) -> QuerySet[Fact]:
    """Return those of the facts that pass the filters, ready to be shown without further queries."""
    asked = {"kind": filters.kind, "status": filters.status, "subject": filters.member}
    return with_evidence(facts.filter(**{field: value for field, value in asked.items() if value}))


def with_evidence(facts: QuerySet[Fact]) -> QuerySet[Fact]:
    """Return the facts with what a page says of each of them."""
    evidence = Evidence.objects.select_related("message", "speaker")
    return facts.select_related("guild", "subject", "channel", "audience").prefetch_related(
        Prefetch("evidence", evidence)
    )


def search(
    facts: QuerySet[Fact], *, guilds: Iterable[Guild], question: str, filters: Filters, now: datetime
) -> list[Fact]:
    """Return the facts that answer a question, best first: by meaning as recall ranks them, then by the very words.

    The second part finds what recall leaves out on purpose: facts of private channels, and those no longer believed.
    """
    allowed = matching(facts, filters)
    ranked = _recalled(guilds, question, filters.member, now)
    by_meaning = {fact.pk: fact for fact in allowed.filter(pk__in=ranked)}
    by_words = allowed.filter(text__icontains=question).exclude(pk__in=by_meaning).order_by("-pk")[:FOUND]
    return [by_meaning[pk] for pk in ranked if pk in by_meaning] + list(by_words)


def _recalled(guilds: Iterable[Guild], question: str, member: Member | None, now: datetime) -> list[int]:
    found = [memory for guild in list(guilds)[:SEARCHED_GUILDS] for memory in _strictly(guild, question, member, now)]
    return [int(memory.id) for memory in sorted(found, key=lambda memory: -memory.score)][:FOUND]


def _strictly(guild: Guild, question: str, member: Member | None, now: datetime) -> list[Memory]:
    """Ask with the gate closed: a person who searches takes the nearest of what does not fit for an answer."""
    return recall(guild, question=question, now=now, member=member, limit=FOUND, kinds=("fact",), strict=True)
