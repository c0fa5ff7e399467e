"""Which facts perhaps contradict each other: pairs, of which the newer fact is marked while one is open."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from memory.models import Contradiction, Fact
from memoryhub import db
from memoryhub.community import outbox
from memoryhub.community.models import Channel, Event

Status = Fact.Status


def open_pairs() -> QuerySet[Contradiction]:
    """Return the pairs that nobody settled and of which both may still be believed."""
    standing = Q(newer__status__in=(Status.ACTIVE, Status.PENDING), older__status=Status.ACTIVE)
    return Contradiction.objects.filter(standing, settled=None)


def pairs_of(facts: Collection[Fact], *, among: QuerySet[Contradiction]) -> QuerySet[Contradiction]:
    """Return those of the pairs that one of these facts is in, whether it came first or last."""
    ids, guilds = {fact.pk for fact in facts}, {fact.guild_id for fact in facts}
    return among.filter(Q(newer__in=ids) | Q(older__in=ids), guild__in=guilds)


def beside(facts: Collection[Fact]) -> list[Fact]:
    """Return the other facts of the open pairs that one of these is in."""
    pairs = pairs_of(facts, among=open_pairs()).select_related("newer", "older")
    both = {fact.pk: fact for pair in pairs for fact in (pair.newer, pair.older)}
    return [fact for _, fact in sorted(both.items()) if fact not in facts]


def marked_by(facts: Collection[Fact]) -> set[int]:
    """Return the ids of what is, or would be, marked because of a pair with one of these facts."""
    return set(pairs_of(facts, among=Contradiction.objects.order_by()).values_list("newer", flat=True))


def settle(one: Fact, other: Fact, *, by: UUID) -> None:
    """Close the pair for good: the change `by` found both true."""
    pairs = pairs_of([one], among=Contradiction.objects.order_by())
    pairs_of([other], among=pairs).filter(settled=None).update(settled=by)
    follow(marked_by([one, other]))


def forget_apart(audience: Channel) -> None:
    """Forget the pairs of which only one fact is told to these readers: nobody else may learn that there is another."""
    newer, older = Q(newer__audience=audience), Q(older__audience=audience)
    pairs = Contradiction.objects.order_by().filter(newer & ~older | older & ~newer, guild=audience.guild_id)
    marked = set(pairs.values_list("newer", flat=True))
    pairs.delete()
    follow(marked)


def reopen(facts: Collection[Fact], *, settled_by: Collection[UUID]) -> None:
    """Open the pairs of these facts again that the changes closed, and have the marks follow."""
    pairs = pairs_of(facts, among=Contradiction.objects.order_by())
    pairs.filter(settled__in=settled_by).update(settled=None)
    follow(marked_by(facts))


def follow(newer: Collection[int]) -> None:
    """Mark each of these facts, which are in pairs, while one of its pairs is open; those who listen are told."""
    if not newer:
        return
    marked = set(open_pairs().order_by().filter(newer__in=newer).values_list("newer", flat=True))
    turned = [fact for fact in Fact.objects.filter(pk__in=newer) if fact.possible_conflict != (fact.pk in marked)]
    for fact in turned:
        fact.possible_conflict = fact.pk in marked
    if turned:
        now = timezone.now()
        db.update(turned, "possible_conflict", "updated_at")
        outbox.write([
            Event(guild_id=fact.guild_id, kind=Event.Kind.CHANGED, row=fact.pk, member_number=fact.subject_id, at=now)
            for fact in turned if fact.status == Status.ACTIVE
        ])  # fmt: skip
