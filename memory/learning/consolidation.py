"""Settles a new fact beside what is known: the same again, a replacement, a merger, or one more."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any, cast

from django.db import transaction
from django.db.models import Q

from memory import rules
from memory.facts import at_odds, confidence
from memory.facts.changes import Action, Batch, FactConflict, Unwritten
from memory.facts.kinds import Kind
from memory.facts.normalization import normalize, sentence
from memory.facts.proposal import Proposal, SourceGone, checked
from memory.facts.schemas import Decision
from memory.learning import decisions, junk, validation
from memory.learning.known_facts import ASIDE, STORED, AtHand, KnownFacts, comparable
from memory.models import Evidence, Fact
from memory.records.action_log import log
from memory.withdrawal import fact_limits
from memoryhub import db
from memoryhub.ai import model_choice
from memoryhub.ai.model_choice import chosen

AT_ONCE = 10  # new facts that one call decides on
Status = Fact.Status
COMPARED = 120  # newest facts of the same subject that a new one may nearly repeat
UPDATES = ("INVALIDATE", "MERGE")


def settle_all(proposals: Sequence[Proposal], *, actor: str, now: datetime) -> list[Fact | None]:
    """Settle what one reading of a guild's messages brought, in order; None for what lost its source meanwhile.

    A model is asked about all of it at once, ten new facts a call; what may touch another new fact waits until that one
    is stored, so that it is compared with it too.
    """
    if proposals and model_choice.is_offline("careful", own=proposals[0].guild.model_careful):
        with suppress(SourceGone, FactConflict):  # then each by itself
            return _settle_together(proposals, actor=actor, now=now)
    facts: dict[int, Fact | None] = {}
    waiting = dict(enumerate(proposals))
    asks = bool(proposals) and chosen("careful", own=proposals[0].guild.model_careful) is not None
    touching = decisions.touching(proposals) if asks else set()
    while waiting:
        free = (n for n in waiting if not any(later == n and earlier in waiting for earlier, later in touching))
        together = list(islice(free, AT_ONCE if asks else 1))
        new = [waiting.pop(number) for number in together]
        weighed = decisions.weigh_together(new) if asks else map(decisions.weigh, new)
        for number, proposal, made in zip(together, new, weighed, strict=True):
            try:
                facts[number] = carry_out(proposal, made, actor=actor, now=now)
            except SourceGone:
                facts[number] = None
    _keep_within_limits(proposals, now=now)
    return [facts[number] for number in sorted(facts)]


def _settle_together(proposals: Sequence[Proposal], *, actor: str, now: datetime) -> list[Fact | None]:
    """Settle all by the rules in one transaction: what is known is read once, and what is new written at once.

    Raises SourceGone or FactConflict, with nothing stored, where one of them does not stand as it was read.
    """
    facts, known = _store_together(proposals, actor=actor, now=now)
    guild, subjects = proposals[0].guild, {proposal.subject for proposal in proposals}
    counts = {subject: known.believed_about(subject.pk if subject else None) for subject in subjects}
    crowded = [each for each, count in counts.items() if fact_limits.may_be_beyond(guild, each, before=count)]
    if crowded:
        fact_limits.enforce_limits(guild, crowded, now=now)
    return facts


@db.retrying
@transaction.atomic
def _store_together(
    proposals: Sequence[Proposal], *, actor: str, now: datetime
) -> tuple[list[Fact | None], AtHand]:  # fmt: skip
    db.lock_guild(proposals[0].guild.pk)
    proposals = checked(proposals)
    together, facts = Together(AtHand(proposals)), list[Fact | None]()
    for proposal in proposals:
        made = decisions.weigh(proposal, rules.decide, among=together.known)
        fact = carry_out(proposal, made, actor=actor, now=now, together=together)
        facts.append(fact)
        together.known.follow([fact] if fact else [])
    together.unwritten.write()
    return facts, together.known


def _keep_within_limits(proposals: Sequence[Proposal], *, now: datetime) -> None:
    if proposals:
        fact_limits.enforce_limits(proposals[0].guild, {proposal.subject for proposal in proposals}, now=now)


@dataclass(frozen=True)
class Together:
    """What the facts of one transaction share: what is known, and what is still to be written."""

    known: AtHand
    unwritten: Unwritten = field(default_factory=Unwritten)


def settle(
    proposal: Proposal, *, actor: str, now: datetime, decide: decisions.Decide | None = None, log_as: str = "",
    among: KnownFacts = STORED,
) -> Fact:  # fmt: skip
    """Store, reinforce, merge or replace, in one short transaction after the decision; return the fact that stands.

    Similarity only proposes which old facts are compared; `decide` says what they mean to each other (default: the
    careful model, else the rules). A model's failure keeps the new fact beside the old ones. `log_as` is the kind of
    a line in the action log. Raises SourceGone.
    """
    return carry_out(proposal, decisions.weigh(proposal, decide, among=among), actor=actor, now=now, log_as=log_as)


def carry_out(
    proposal: Proposal, made: list[Decision], *, actor: str, now: datetime, log_as: str = "",
    together: Together | None = None,
) -> Fact:  # fmt: skip
    """Do what was decided on the new fact; return the fact that stands. Raises SourceGone.

    In one short transaction, or in the open one of several facts that were checked before: `together`. Then it raises
    FactConflict, too.
    """
    if together:
        batch = Batch(actor=actor, now=now, unwritten=together.unwritten)
        return _do(batch, screened(proposal, made, among=together.known), made, among=together.known)
    proposal = screened(proposal, made)
    try:
        return _store(proposal, made, actor=actor, now=now, log_as=log_as)
    except FactConflict:  # stored already, perhaps by another worker just now: there it is, to be reinforced
        proposal = screened(proposal)
        return _store(proposal, decisions.repeats(proposal), actor=actor, now=now, log_as=log_as)


def screened(proposal: Proposal, made: Sequence[Decision] = (), *, among: KnownFacts = STORED) -> Proposal:
    """Return the proposal with its junk score, whether it waits, and the fact beside it that says the same.

    What persons tell has no score and never waits; what only repeats is not scored again.
    """
    if proposal.requested or not proposal.messages or any(decision.action == "REINFORCE" for decision in made):
        return proposal
    known, words = among.beside(proposal), normalize(proposal.text)
    updated = {decision.fact for decision in made if decision.action in UPDATES}  # near the new one by nature
    others = [row.text for row in known if row.id not in updated and row.normalized != words]
    # Behind what was said stand the names that a fact may use for "I": "System:" before it would be an order.
    names = {str(message.author) for message in proposal.messages} | {str(proposal.subject or "")}
    source = "\n".join([*(message.text for message in proposal.messages), *sorted(names)])
    score = junk.score(
        proposal.text, source=source, known=others[:COMPARED], bots=among.bots(proposal.guild),
        paraphrased=proposal.paraphrased,
    )  # fmt: skip
    return replace(
        proposal,
        score=score,
        needs_review=proposal.guild.review_all or score.value * 100 > proposal.guild.review_above,
        aside=next((row.id for row in known if row.normalized == words and row.status in ASIDE), None),
    )


@db.retrying
@transaction.atomic
def _store(proposal: Proposal, made: list[Decision], *, actor: str, now: datetime, log_as: str) -> Fact:
    number = db.lock_guild_and_number(proposal.guild.pk, Fact)
    (proposal,) = checked([proposal])
    unwritten = Unwritten(ids=[number] if number else None)
    fact = _do(Batch(actor=actor, now=now, unwritten=unwritten), proposal, made)
    unwritten.write(also=lambda: _log(log_as, fact, proposal, actor=actor, now=now))
    return fact


def _log(kind: str, fact: Fact, proposal: Proposal, *, actor: str, now: datetime) -> None:
    if kind:
        log(kind, guild=proposal.guild, actor=actor, now=now, fact=fact.pk)


def _do(batch: Batch, proposal: Proposal, made: list[Decision], *, among: KnownFacts = STORED) -> Fact:
    """Carry the decisions out, or let stand what waits, was refused, or is stored by now."""
    if proposal.aside or proposal.needs_review:
        batch.catch_up()
    if proposal.aside and (aside := Fact.objects.filter(pk=proposal.aside, status__in=ASIDE).first()):
        return _reinforce(batch, aside, proposal) if aside.status == Status.PENDING else aside
    known = decisions.repeats(proposal) if proposal.needs_review else []  # another worker may have stored it by now
    return _apply(batch, proposal, known or made, among=among)


def admit(batch: Batch, fact: Fact) -> Fact:
    """Believe a fact that waited for a person, settled by the rules beside what is known; return the fact that stands.

    Call it in a transaction. What the fact replaces ends now; where another says the same, that one takes its sources.
    """
    rows = fact.evidence.select_related("message__author")
    proposal = Proposal(
        guild=fact.guild, subject=fact.subject, text=fact.text, kind=cast("Kind", fact.kind),
        confidence=fact.confidence, explicit=fact.source_type == Fact.SourceType.EXPLICIT, said_at=fact.said_at,
        quote=next((row.quote for row in rows), ""), channel=fact.channel, audience_id=fact.audience_id,
        valid_from=fact.valid_from, messages=[row.message for row in rows if row.message], reviewed=fact,
    )  # fmt: skip
    stands = _apply(batch, proposal, decisions.weigh(proposal, rules.decide))
    if stands.pk != fact.pk:
        batch.change(fact, Action.APPROVE, status=Status.SUPERSEDED, replaced_by_id=stands.pk)
    return stands


@dataclass
class Touched:
    """The known facts that decisions are about, by what becomes of each."""

    repeated: list[Fact] = field(default_factory=list)
    ended: list[Fact] = field(default_factory=list)
    doubted: list[Fact] = field(default_factory=list)
    merged: dict[str, list[Fact]] = field(default_factory=dict)  # by the words that take their place

    @classmethod
    def by(cls, made: Sequence[Decision], old: dict[int, Fact]) -> Touched:
        """Return what the decisions touch of the facts that are still there."""
        touched = cls()
        for decision in made:
            if (fact := old.get(decision.fact or 0)) is None:
                continue
            match decision.action:
                case "REINFORCE":
                    touched.repeated.append(fact)
                case "INVALIDATE":
                    touched.ended.append(fact)
                case "MERGE":
                    touched.merged.setdefault(sentence(decision.merged_text), []).append(fact)
                case "KEEP" if decision.possible_conflict:
                    touched.doubted.append(fact)
        return touched


def _apply(batch: Batch, proposal: Proposal, made: list[Decision], *, among: KnownFacts = STORED) -> Fact:
    """Carry the decisions out; those about facts that changed meanwhile, or that were not asked about, fall away."""
    named = [d.fact for d in made if d.fact and (d.action != "KEEP" or d.possible_conflict)]
    old = among.facts(proposal, named) if named else {}
    parts = "\n".join([proposal.text, *(old[d.fact].text for d in made if d.action == "MERGE" and d.fact in old)])
    made = [_fair(batch, decision, proposal, old, parts=parts) for decision in made]
    touched = Touched.by(made, old)
    if proposal.needs_review and not touched.repeated:
        return _add(batch, proposal, [], doubted=touched.ended)  # nothing ends before a person looked
    if touched.merged:
        fact, *_ = [_merge(batch, proposal, facts, words) for words, facts in touched.merged.items()]
    elif touched.repeated:
        fact = _reinforce(batch, touched.repeated[0], proposal)
    else:
        conflict = any(decision.possible_conflict for decision in made)
        fact = _add(batch, proposal, touched.ended, doubted=touched.doubted, conflict=conflict)
    # The fact that stands may have been first said long before, and be repeated now: what is said now ends the others,
    # unless they were said later.
    since = proposal.valid_from or proposal.said_at
    for other in touched.ended:
        if other.pk != fact.pk and fact.status == Status.ACTIVE and other.said_at <= proposal.said_at:
            batch.change(other, Action.INVALIDATE, **_past(fact, other.valid_from, since=since))
    return fact


def _fair(batch: Batch, decision: Decision, proposal: Proposal, old: dict[int, Fact], *, parts: str) -> Decision:
    """Return the decision, or KEEP where others would overrule what somebody said of themselves, or a merger invents.

    Words of a merger are a model's: they pass the guards of a fact, with all its parts as their source.
    """
    fact = old.get(decision.fact or 0)
    if fact is None:
        return decision
    if decision.action in ("INVALIDATE", "MERGE") and proposal.hearsay:
        batch.catch_up()
        own = fact.evidence.filter(Q(message=None) | Q(speaker=fact.subject_id))  # the subject's, or asked to remember
        if own.exists():
            return Decision(action="KEEP", fact=fact.pk, possible_conflict=decision.action == "INVALIDATE")
    if decision.action == "MERGE":
        words = decision.merged_text
        if validation.refuse(words, words, parts, kept=proposal.guild.kept_kinds):
            return Decision(action="KEEP", fact=fact.pk)
    return decision


def _add(
    batch: Batch, proposal: Proposal, ended: list[Fact], *, doubted: list[Fact], conflict: bool = False
) -> Fact:  # fmt: skip
    """Store it as one more; what was said before the fact it contradicts is history from the start."""
    newer = next((fact for fact in ended if fact.said_at > proposal.said_at), None)
    fields = _past(newer, proposal.valid_from) if newer else {"possible_conflict": conflict or bool(doubted)}
    if proposal.reviewed:
        fact = batch.change(proposal.reviewed, Action.APPROVE, **{"status": Status.ACTIVE, **fields})
    else:
        fact = batch.add(proposal.fact(**fields), proposal.evidence())
    if doubted and not newer:
        batch.doubt(fact, doubted)
    return fact


def _past(newer: Fact, valid_from: datetime | None, *, since: datetime | None = None) -> dict[str, Any]:
    """Return the fields of a fact that was true until a newer one began; it never ends before its own beginning."""
    until = since or newer.valid_from or newer.said_at
    return {
        "status": Status.SUPERSEDED,
        "replaced_by_id": newer.pk,
        "valid_until": max(until, valid_from) if valid_from else until,
    }


def _merge(batch: Batch, proposal: Proposal, old: list[Fact], words: str) -> Fact:
    """Put one fact, with the evidence of all, in place of the new one and the old ones."""
    batch.catch_up()
    twin = next((fact for fact in old if fact.normalized == normalize(words)), None)
    twin = twin or comparable(proposal).filter(normalized=normalize(words)).first()
    others = [fact for fact in old if twin is None or fact.pk != twin.pk]
    former = [
        Evidence(message=row.message, speaker=row.speaker, quote=row.quote, said_at=row.said_at)
        for row in Evidence.objects.filter(fact__in=others).select_related("message", "speaker")
    ]
    if twin:
        fact = _reinforce(batch, twin, proposal)
        batch.cite(fact, former)
    else:
        every = {row.message_id or -i: row for i, row in enumerate([*former, *proposal.evidence()], 1)}
        each: list[Proposal | Fact] = [proposal, *others]
        fields = {
            "confidence": max(part.confidence for part in each),
            "said_at": max(part.said_at for part in each),
            "valid_from": min(filter(None, (part.valid_from for part in each)), default=None),
        }
        fact = batch.add(proposal.fact(text=words, **fields), every.values(), action=Action.MERGE)
    if doubted := [other for other in at_odds.beside(others) if other.pk != fact.pk]:
        batch.doubt(fact, doubted)
    for part in others:
        batch.change(part, Action.MERGE, status=Status.SUPERSEDED, replaced_by_id=fact.pk)
    return fact


def _reinforce(batch: Batch, fact: Fact, proposal: Proposal) -> Fact:
    """Count the repeat, unless it is the very message that was counted before: a task may run twice."""
    if not batch.cite(fact, proposal.evidence()):
        return fact
    explicit = {"source_type": Fact.SourceType.EXPLICIT} if proposal.explicit else {}
    surer = max(confidence.reinforced(fact.confidence), proposal.confidence)
    return batch.change(
        fact,
        Action.REINFORCE,
        confidence=surer,
        last_reinforced_at=max(proposal.said_at, fact.last_reinforced_at or proposal.said_at),
        reinforcements=fact.reinforcements + 1,
        **explicit,
    )
