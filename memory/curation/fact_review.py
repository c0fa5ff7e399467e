"""What a person decides on facts that wait: approve, put in other words, refuse; and how much of all was junk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from memory.curation.corrections import validated_text
from memory.facts import changes
from memory.facts.changes import Action, Batch, FactConflict
from memory.facts.normalization import normalize
from memory.learning import consolidation, junk
from memory.models import Fact, FactQuerySet
from memory.records.action_log import log
from memory.withdrawal import fact_limits
from memoryhub.community.models import Guild
from memoryhub.db.guild_scope import in_its_guild

JUNK_ABOVE = 0.5  # of the score: rather junk than not, wherever a guild draws the line of its review
SIGNED = 2000  # the newest junk, whose signs are counted
Status = Fact.Status


class NotWaiting(FactConflict):
    """The fact does not wait for review: somebody decided on it already."""

    def __init__(self) -> None:
        super().__init__("This memory does not wait for review: somebody decided on it already.")


@dataclass
class ReviewOutcome:
    """How many facts were decided on, and how many could not be, since somebody else was faster."""

    done: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class JunkStatistics:
    """How much of what was learned from chat is junk; `signs` counts what speaks for it, by title."""

    scored: int
    junk: int
    waiting: int
    refused: int
    signs: dict[str, int]

    @property
    def rate(self) -> float:
        """Return the share of junk, 0 to 1."""
        return self.junk / self.scored if self.scored else 0.0


def waiting(guilds: QuerySet[Guild] | None = None) -> FactQuerySet:
    """Return the facts that wait for a person, the likeliest to be good first; `guilds` narrows them."""
    rows = Fact.objects.filter(status=Status.PENDING).order_by("junk", "pk")
    return rows if guilds is None else rows.filter(guild__in=guilds)


@in_its_guild
def approve(fact: Fact, *, actor: str, now: datetime, text: str | None = None, insist: bool = False) -> Fact:
    """Believe the fact, as it is or in a person's words, settled beside what is known; return the fact that stands.

    It is one decision, undone together. What is then beyond the limit of facts is archived. `insist`, for who has the
    right to: take words that read like an order, code or a question. Raises NotWaiting, FactRefused.
    """
    fields: dict[str, Any] = {}
    if text is not None:
        text = validated_text(text, fact.guild, insist=insist)
        fields = {"text": text, "normalized": normalize(text), "junk": None, "junk_signs": []}
    with transaction.atomic():
        _lock_waiting(fact)
        batch = Batch(actor=actor, now=now)
        stands = consolidation.admit(batch, batch.change(fact, Action.EDIT, **fields) if fields else fact)
        changed = {"fields": ["text"]} if fields else {}
        log("memory_approve", guild=fact.guild, actor=actor, now=now, fact=fact.pk, **changed)
        if insist and fields:
            log("memory_insist", guild=fact.guild, actor=actor, now=now, fact=fact.pk)
        fact_limits.enforce_limits(fact.guild, [fact.subject], now=now)
    return stands


@in_its_guild
def refuse(fact: Fact, *, actor: str, now: datetime) -> Fact:
    """Keep the fact away, also when it is said again; it can be restored. Raises NotWaiting."""
    with transaction.atomic():
        _lock_waiting(fact)
        log("memory_refuse", guild=fact.guild, actor=actor, now=now, fact=fact.pk)
        return Batch(actor=actor, now=now).change(fact, Action.REFUSE, status=Status.REFUSED)


def decide(facts: Iterable[Fact], *, approved: bool, actor: str, now: datetime) -> ReviewOutcome:
    """Approve or refuse each fact by itself; one that somebody else decided on stops no other."""
    change, outcome = approve if approved else refuse, ReviewOutcome()
    for fact in facts:
        try:
            change(fact, actor=actor, now=now)
        except FactConflict:
            outcome.failed.append(fact.pk)
        else:
            outcome.done.append(fact.pk)
    return outcome


def junk_statistics(guilds: QuerySet[Guild] | None = None) -> JunkStatistics:
    """Count what was learned from chat and how much of it is junk, whatever became of it since; None: in all guilds."""
    rows = Fact.objects.filter(junk__isnull=False) if guilds is None else Fact.objects.filter(guild__in=guilds)
    counts = rows.aggregate(
        scored=Count("junk"), junk=Count("pk", filter=Q(junk__gt=JUNK_ABOVE)),
        waiting=Count("pk", filter=Q(status=Status.PENDING)), refused=Count("pk", filter=Q(status=Status.REFUSED)),
    )  # fmt: skip
    newest = rows.filter(junk__gt=JUNK_ABOVE).order_by("-pk").values_list("junk_signs", flat=True)[:SIGNED]
    signs = Counter(sign for names in newest for sign in names)
    return JunkStatistics(
        signs={junk.TITLES[sign]: n for sign, n in signs.most_common() if sign in junk.TITLES}, **counts
    )


def _lock_waiting(fact: Fact) -> None:
    """Lock the fact as `changes.lock` does; raises NotWaiting, as for the second of two persons."""
    changes.lock(fact)
    if fact.status != Status.PENDING:
        raise NotWaiting
