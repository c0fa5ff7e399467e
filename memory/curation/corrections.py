"""What a person may do to a fact: add, correct, pin, archive, restore, undo; each is recorded and can be undone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Literal

from django.db import transaction
from django_q.tasks import async_task

from memory import rules
from memory.curation.refusals import WordsRefused, overruled
from memory.facts import at_odds, changes, confidence
from memory.facts.changes import Action, Batch, FactConflict
from memory.facts.kinds import Kind
from memory.facts.normalization import normalize
from memory.facts.proposal import Proposal
from memory.facts.schemas import MAX_FACT
from memory.learning import consolidation, validation
from memory.learning.known_facts import Counting
from memory.models import Fact
from memory.records.action_log import log
from memory.withdrawal import fact_limits, withdraw
from memoryhub.community.models import SENSITIVE, Channel, Guild, Member
from memoryhub.db.guild_scope import in_its_guild, inside
from memoryhub.errors import Conflict
from memoryhub.safety import sensitive
from notes.models import Message

STAYS = "This stays put away: it tells of somebody's {kind}, and this guild does not keep that."
SETTLED = "Somebody settled this meanwhile: these two contradict each other no longer."
PIECE = 100  # facts that are forgotten in one transaction
PATIENCE = 5.0  # seconds that somebody waits for many to be forgotten; after that the worker goes on


class FactRefused(WordsRefused):
    """The text must not be stored as a fact."""


@in_its_guild
def remember(
    guild: Guild,
    *,
    subject: Member | None,
    text: str,
    kind: Kind,
    actor: str,
    now: datetime,
    audience: Channel | None = None,
    said_in: Message | None = None,
    told_by: Member | None = None,
    said_at: datetime | None = None,
    closed: bool = False,
    insist: bool = False,
) -> Fact:
    """Store what somebody asked to be remembered: sure (lore: 0.72), by the rules, at once; raises FactRefused.

    It rests on the message that it was said in, if it was one; else on what a member told the hub, `told_by`, or an
    operator, and `said_at` says when that was, if not now.
    `audience` is the channel it was said in; `closed` keeps it among that one's readers, however open it is by now.
    `insist`, for who has the right to: store it although it reads like an order, code or a question.
    """
    text = validated_text(rules.told(" ".join(text.split())), guild, insist=insist)
    lore, said_at = subject is None, said_in.sent_at if said_in else min(said_at or now, now)
    heard_by = (audience.pk if closed else audience.heard_by_at(said_at)) if audience else None
    proposal = Proposal(
        guild=guild,
        subject=subject,
        text=text,
        kind="lore" if lore else kind,
        confidence=confidence.LORE_CONFIDENCE if lore else confidence.EXPLICIT,
        explicit=True,
        quote=text,
        said_at=said_at,
        channel=audience,
        audience_id=heard_by,
        messages=[said_in] if said_in else [],
        told_by=told_by,
        requested=True,
    )
    known = Counting()
    fact = consolidation.settle(
        proposal, actor=actor, now=now, decide=rules.decide, log_as="memory_remember", among=known
    )
    if insist:
        log("memory_insist", guild=guild, actor=actor, now=now, fact=fact.pk)
    crowded = fact_limits.may_be_beyond(guild, subject, before=known.counted)
    if crowded and fact_limits.enforce_limits(guild, [subject], now=now):
        fact.refresh_from_db()
    return fact


@in_its_guild
def correct(
    fact: Fact,
    *,
    actor: str,
    now: datetime,
    text: str | None = None,
    kind: str | None = None,
    confidence: float | None = None,
    pinned: bool | None = None,
    insist: bool = False,
) -> Fact:
    """Change what is given; the words' sources stay; `insist` as in `remember`. Raises FactRefused, FactConflict."""
    given: dict[str, Any] = {"kind": kind, "confidence": confidence, "pinned": pinned}
    fields = {name: value for name, value in given.items() if value is not None}
    judged: dict[str, Any] = {}
    if text is not None:
        text = validated_text(text, fact.guild, insist=insist)
        fields |= {"text": text, "normalized": normalize(text)}
        judged = {"junk": None, "junk_signs": []}  # a person's words have no score
    with transaction.atomic():
        changes.lock(fact)
        Batch(actor=actor, now=now).change(fact, Action.EDIT, **fields, **judged)
        log("memory_edit", guild=fact.guild, actor=actor, now=now, fact=fact.pk, fields=sorted(fields))
        if insist:
            log("memory_insist", guild=fact.guild, actor=actor, now=now, fact=fact.pk)
    return fact


@transaction.atomic
@in_its_guild
def archive(fact: Fact, *, actor: str, now: datetime) -> Fact:
    """Put the fact aside: it is not recalled, and can be restored. Raises FactGone."""
    changes.lock(fact)
    log("memory_archive", guild=fact.guild, actor=actor, now=now, fact=fact.pk)
    return Batch(actor=actor, now=now).change(fact, Action.ARCHIVE, status=Fact.Status.ARCHIVED)


@transaction.atomic
@in_its_guild
def restore(fact: Fact, *, actor: str, now: datetime) -> Fact:
    """Believe the fact again, or one that waited for review; raises FactConflict."""
    changes.lock(fact)
    _refuse_sensitive(fact)
    log("memory_restore", guild=fact.guild, actor=actor, now=now, fact=fact.pk)
    batch = Batch(actor=actor, now=now)
    if fact.status == Fact.Status.PENDING:
        return consolidation.admit(batch, fact)
    fields = {"status": Fact.Status.ACTIVE, "replaced_by_id": None, "valid_until": None}
    return batch.change(fact, Action.RESTORE, **fields)


@transaction.atomic
@in_its_guild
def undo(fact: Fact, *, actor: str, now: datetime, made: datetime | None = None) -> Fact:
    """Take the newest change back, with all others of the same decision; raises NothingToUndo, FactConflict.

    With `made`, who undoes means the change of that moment: where another came after it, the fact is left as it is.
    """
    changes.lock(fact)
    log("memory_undo", guild=fact.guild, actor=actor, now=now, fact=fact.pk)
    back = changes.undo(fact, actor=actor, now=now, made=made)
    undone = back.changes.filter(action=Action.UNDO).values_list("batch", flat=True)[:1]
    touched = Fact.objects.of(fact.guild).filter(changes__batch__in=list(undone)).exclude(status=Fact.Status.ARCHIVED)
    for each in touched.distinct().select_related("guild"):
        _refuse_sensitive(each)
    return back


@transaction.atomic
@in_its_guild
def settle(fact: Fact, *, beside: Fact | None, ends: Fact | None = None, actor: str, now: datetime) -> Fact:
    """Say of a fact and one that it perhaps contradicts that both are true, or archive the one that `ends`.

    Without `beside` the mark goes of a fact that no other is known to contradict. Return what changed: both may be
    undone by it. Raises FactGone, and FactConflict where it is settled already.
    """
    for each in filter(None, (fact, beside)):
        changes.lock(each)
    others = at_odds.beside([fact])
    if beside not in others if beside else others or not fact.possible_conflict:
        raise FactConflict(SETTLED)
    if ends:
        return archive(ends, actor=actor, now=now)
    batch = Batch(actor=actor, now=now)
    other = {"other": beside.pk} if beside else {}
    log("memory_settle", guild=fact.guild, actor=actor, now=now, fact=fact.pk, **other)
    if beside is None:
        return batch.change(fact, Action.SETTLE, possible_conflict=False)
    for each in (beside, fact):  # a decision of both: neither is read anew by a machine, and undone it is from either
        batch.change(each, Action.SETTLE)
    at_odds.settle(fact, beside, by=batch.id)
    return fact


def _refuse_sensitive(fact: Fact) -> None:
    """Raise FactConflict for what the guild keeps no longer: switching its kind off had put it away."""
    if kind := sensitive(fact.text, kept=fact.guild.kept_kinds):
        raise FactConflict(STAYS.format(kind=SENSITIVE[kind]))


def validated_text(text: str, guild: Guild, *, insist: bool = False) -> str:
    """Return the text as it may be stored, with single spaces; raises FactRefused. Ask with no transaction open."""
    text = " ".join(text.split())
    if len(text) > MAX_FACT:
        raise FactRefused("too long")
    reason = validation.refuse_told(text, kept=guild.kept_kinds)
    if reason and not overruled(reason, insist=insist):
        raise FactRefused(reason)
    return text


BulkAction = Literal["pin", "unpin", "archive", "restore", "delete"]

RESTORABLE = (Fact.Status.ARCHIVED, Fact.Status.SUPERSEDED, Fact.Status.REFUSED)
BULK_ACTIONS: Mapping[str, tuple[Callable[..., Any], Callable[[Fact], bool]]] = {
    "pin": (partial(correct, pinned=True), lambda fact: not fact.pinned),
    "unpin": (partial(correct, pinned=False), lambda fact: fact.pinned),
    "archive": (archive, lambda fact: fact.status == Fact.Status.ACTIVE),
    "restore": (restore, lambda fact: fact.status in RESTORABLE),
    "delete": (withdraw.forget_fact, lambda _fact: True),
}
"""What is called for each fact, and which facts it would change at all."""


@dataclass(kw_only=True)
class Outcome:
    """How many were changed and which, how many were so already, and why others could not be."""

    done: int = 0
    idle: int = 0
    refused: list[str] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)


def correct_all(facts: Iterable[Fact], *, deed: BulkAction, actor: str, now: datetime) -> Outcome:
    """Do it to each of the facts, recorded and undoable as if it were done one by one (deleting is for good)."""
    (change, concerns), outcome = BULK_ACTIONS[deed], Outcome()
    for fact in facts:
        try:
            with inside(fact), transaction.atomic():
                changes.lock(fact)
                if not concerns(fact):
                    outcome.idle += 1
                    continue
                change(fact, actor=actor, now=now)
        except FactConflict as conflict:
            outcome.refused.append(str(conflict))
        else:
            outcome.done += 1
            outcome.changed.append(fact.pk)
    return outcome


def undo_all(facts: Sequence[Fact], *, made: datetime, actor: str, now: datetime) -> int:
    """Take back what was done to these facts in that moment, where nothing came after it; return to how many."""

    def stands(fact: Fact) -> bool:
        with inside(fact):
            return fact.changes.standing().filter(at=made).exists()

    changed = [fact for fact in facts if stands(fact)]
    for fact in changed:
        with suppress(Conflict):
            while stands(fact):  # one decision may have touched several of them, and one of them several times
                undo(fact, actor=actor, now=now, made=made)
    return sum(not stands(fact) for fact in changed)


def forget_all(guild: Guild, facts: Sequence[int], *, actor: str, now: datetime, seconds: float = PATIENCE) -> int:
    """Forget these facts of the guild, however many, for so many seconds; return how many are left to the worker."""
    stop = time.monotonic() + seconds
    for start in range(0, len(facts), PIECE):
        left = list(facts[start:])
        if start and time.monotonic() > stop:
            # By their ids: filters may name members, and the queue keeps what it was given.
            task = partial(async_task, "memory.tasks.forget_facts", guild.pk, left, actor)
            transaction.on_commit(task, robust=True)
            return len(left)
        withdraw.forget_facts(guild, Fact.objects.of(guild).filter(pk__in=left[:PIECE]), actor=actor, now=now)
    return 0
