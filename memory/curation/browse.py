"""Facts as a person browses them: filtered, newest first, or found by a question; now, or as of a day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, Q

from memory.facts.confidence import ESTABLISHED
from memory.models import Evidence, Fact, FactChange, FactQuerySet
from memory.recall.search import recall
from memoryhub.common import address
from memoryhub.community.models import Channel, Guild, Member

FOUND = 24  # facts; as many as recall gives at most
SEARCHED_GUILDS = 20
SURE = 0.85

CERTAINTY: Mapping[str, Q] = {
    "sure": Q(confidence__gte=SURE),
    "likely": Q(confidence__gte=ESTABLISHED, confidence__lt=SURE),
    "doubtful": Q(confidence__lt=ESTABLISHED),
}
MARKS: Mapping[str, Q] = {"pinned": Q(pinned=True), "conflict": Q(possible_conflict=True)}
REMEMBERED = ("text", "kind", "confidence", "pinned")  # what a history says of the past of a fact


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What a list of facts is narrowed to; an empty field narrows nothing.

    `certainty` and `mark` name one of CERTAINTY and MARKS; `since` and `until` bound when a fact was first said. With
    `as_of` the status counts for nothing: what was believed at that moment is listed, as it was worded then.
    """

    kind: str = ""
    status: str = Fact.Status.ACTIVE
    member: Member | None = None
    channel: Channel | None = None
    source: str = ""
    certainty: str = ""
    mark: str = ""
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None


def apply_filters(facts: FactQuerySet, filters: Filters) -> FactQuerySet:
    """Return those of the facts that pass the filters, ready to be shown without further queries."""
    wanted = {
        "kind": filters.kind, "subject": filters.member, "channel": filters.channel, "source_type": filters.source,
        "said_at__gte": filters.since, "said_at__lt": filters.until, "status": filters.status,
    }  # fmt: skip
    if filters.as_of is not None:
        wanted["status"] = None
        facts = facts.believed_at(filters.as_of)
    conditions = [CERTAINTY.get(filters.certainty, Q()), MARKS.get(filters.mark, Q())]
    return with_evidence(facts.filter(*conditions, **{field: value for field, value in wanted.items() if value}))


def page_by_member(facts: FactQuerySet, *, after: str, limit: int) -> tuple[list[Fact], str]:
    """Return facts member by member, each one's newest first, and the place to go on after ("": that was all).

    The order is that of an index, and a page starts where the last one ended: no page sorts or counts all of them. No
    subject (lore) comes first; an `after` that is no place is the beginning.
    """
    match [address.number(part) for part in after.split("_")]:
        case [int(guild), int(subject), int(pk)]:
            older = Q(subject=subject or None, pk__lt=pk)
            others = Q(subject__gt=subject) if subject else Q(subject__isnull=False)
            facts = facts.filter(Q(guild_id__gte=guild) & (Q(guild_id__gt=guild) | older | others))
    rows = list(facts.order_by("guild_id", "subject_id", "-pk")[: limit + 1])
    page = rows[:limit]
    last = page[-1] if len(rows) > limit else None
    return page, f"{last.guild_id}_{last.subject_id or 0}_{last.pk}" if last else ""


def with_evidence(facts: FactQuerySet) -> FactQuerySet:
    """Return the facts with what a page says of each of them."""
    evidence = Evidence.objects.select_related("message", "speaker")
    return facts.select_related("guild", "subject", "channel", "audience").prefetch_related(
        Prefetch("evidence", evidence)
    )


def completed(fact: Fact) -> Fact:
    """Return a fact that was just remembered with what a page says of it; one that stood before is read again."""
    if fact.added_with is None:
        return with_evidence(Fact.objects.of(fact.guild)).get(pk=fact.pk)
    evidence: Any = fact.evidence.all()
    evidence._result_cache = fact.added_with  # as Django keeps what it has read beforehand
    fact._prefetched_objects_cache = {"evidence": evidence}  # type: ignore[attr-defined]
    return fact


def search(
    facts: FactQuerySet, *, guilds: Iterable[Guild], question: str, filters: Filters, now: datetime
) -> list[Fact]:
    """Return the facts that answer a question, best first: by meaning as recall ranks them, then by the very words.

    The second part finds what recall leaves out on purpose: facts of private channels, and those no longer believed.
    """
    allowed = apply_filters(facts, filters)
    memories = [
        memory
        for guild in list(guilds)[:SEARCHED_GUILDS]
        # With the gate closed: a person who searches takes the nearest of what does not fit for an answer.
        for memory in recall(
            guild, question=question, now=now, channel=filters.channel, member=filters.member, limit=FOUND,
            kinds=("fact",), strict=True, as_of=filters.as_of,
        )
    ]  # fmt: skip
    ranked = [int(memory.id) for memory in sorted(memories, key=lambda memory: -memory.score)][:FOUND]
    by_meaning = {fact.pk: fact for fact in allowed.filter(pk__in=ranked)}
    scores = {int(memory.id): memory.score for memory in memories}
    for fact in by_meaning.values():
        fact.match = scores[fact.pk]
    by_words = allowed.filter(text__icontains=question).exclude(pk__in=by_meaning).order_by("-pk")[:FOUND]
    return [by_meaning[pk] for pk in ranked if pk in by_meaning] + list(by_words)


def worded_as_of(facts: Sequence[Fact], moment: datetime) -> Sequence[Fact]:
    """Give the facts (which nobody may save now) the words that they had at the moment, by their histories."""
    by_pk = {fact.pk: fact for fact in facts}
    later = FactChange.objects.filter(fact__in=by_pk, at__gt=moment).order_by("-pk")
    for pk, before in later.values_list("fact", "before"):
        for name in REMEMBERED:
            setattr(by_pk[pk], name, before.get(name, getattr(by_pk[pk], name)))
    return facts
