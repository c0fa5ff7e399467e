"""Settles a new fact beside what is known: the same again, a replacement, a merger, or one more (seeds 002 and 004)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any, cast

from django.db import transaction
from django.db.models import Q

from memory import rules as offline
from memory.facts import confidence
from memory.facts.changes import Action, Batch, FactConflict
from memory.facts.kinds import Kind
from memory.facts.normalization import normalize, sentence
from memory.facts.proposal import Proposal, SourceGone
from memory.facts.schemas import ConsolidationCases, ConsolidationInput, Decision, Decisions, KnownFact
from memory.learning import screening, similar_facts, validation
from memory.learning.prompts import CONSOLIDATION
from memory.models import Evidence, Fact, FactQuerySet
from memory.records.action_log import log
from memoryhub.ai import ModelFailed, ask
from memoryhub.ai.model_choice import chosen

AT_ONCE = 10  # new facts that one call decides on
NEAREST = 3  # seed 004: the old facts that a model compares the new one with
NEWEST = 120  # seed 000 keeps 80 of a member and 120 of the lore; the rules look at no more
DOUBT = Decision(action="KEEP", possible_conflict=True)  # what a model's failure leaves
Decide = Callable[[ConsolidationInput], Decisions]
Status = Fact.Status


def settle_all(proposals: Sequence[Proposal], *, actor: str, now: datetime) -> list[Fact | None]:
    """Settle what one reading of a guild's messages brought, in order; None for what lost its source meanwhile.

    A model is asked about all of it at once, ten new facts a call; what may touch another new fact waits until that one
    is stored, so that it is compared with it too.
    """
    if not proposals or chosen("careful", own=proposals[0].guild.model_careful) is None:
        return [_unless_gone(partial(settle, proposal, actor=actor, now=now)) for proposal in proposals]
    facts: dict[int, Fact | None] = {}
    waiting = dict(enumerate(proposals))
    while waiting:
        together = dict(islice(_apart(waiting), AT_ONCE))
        weighed = _weigh_together(list(together.values()))
        for (number, proposal), decisions in zip(together.items(), weighed, strict=True):
            del waiting[number]
            facts[number] = _unless_gone(partial(_carry_out, proposal, decisions, actor=actor, now=now))
    return [facts[number] for number in sorted(facts)]


def _unless_gone(work: Callable[[], Fact]) -> Fact | None:
    try:
        return work()
    except SourceGone:
        return None


def _apart(waiting: dict[int, Proposal]) -> Iterator[tuple[int, Proposal]]:
    """Yield those of the new facts, by number, that say nothing of what one before them is about."""
    before: list[Proposal] = []
    for number, proposal in waiting.items():
        touches = offline.related(proposal.text)
        where = (proposal.subject, proposal.audience_id)
        beside = [other for other in before if (other.subject, other.audience_id) == where]
        if not any(touches(other.text, normalize(other.text)) for other in beside):
            yield number, proposal
        before.append(proposal)


def _weigh_together(proposals: list[Proposal]) -> list[list[Decision]]:
    """Return the decisions on each new fact, with one call of the model for all that have something near."""
    again = [_again(proposal) for proposal in proposals]
    try:
        near = [[] if known else _near(proposal) for known, proposal in zip(again, proposals, strict=True)]
    except ModelFailed:
        return [known or [DOUBT] for known in again]
    asked = [place for place, old in enumerate(near) if old]
    cases = [_case(proposals[place], near[place]) for place in asked]
    try:
        answer = (
            ask(CONSOLIDATION, ConsolidationCases(cases=cases), guild=proposals[0].guild.pk).decisions if asked else []
        )
    except ModelFailed:
        answer = [DOUBT.model_copy(update={"new": number}) for number in range(1, len(asked) + 1)]
    number = {place: number for number, place in enumerate(asked, start=1)}
    return [known or [d for d in answer if d.new == number.get(place)] for place, known in enumerate(again)]


def settle(proposal: Proposal, *, actor: str, now: datetime, decide: Decide | None = None, log_as: str = "") -> Fact:
    """Store, reinforce, merge or replace, in one short transaction after the decision; return the fact that stands.

    Similarity only proposes which old facts are compared; `decide` says what they mean to each other (default: the
    careful model, else the rules). A model's failure keeps the new fact beside the old ones. `log_as` is the kind of
    a line in the action log. Raises SourceGone.
    """
    return _carry_out(proposal, _weigh(proposal, decide), actor=actor, now=now, log_as=log_as)


def _carry_out(proposal: Proposal, decisions: list[Decision], *, actor: str, now: datetime, log_as: str = "") -> Fact:
    proposal = screening.screened(proposal, decisions)
    try:
        return _store(proposal, decisions, actor=actor, now=now, log_as=log_as)
    except FactConflict:  # stored already, perhaps by another worker just now: there it is, to be reinforced
        proposal = screening.screened(proposal)
        return _store(proposal, _again(proposal), actor=actor, now=now, log_as=log_as)


@transaction.atomic
def _store(proposal: Proposal, decisions: list[Decision], *, actor: str, now: datetime, log_as: str) -> Fact:
    proposal = proposal.checked()
    batch = Batch(actor=actor, now=now)
    if aside := screening.aside(proposal):
        return _reinforce(batch, aside, proposal) if aside.status == Status.PENDING else aside
    known = _again(proposal) if proposal.waits else []  # another worker may have stored the very same by now
    fact = _apply(batch, proposal, known or decisions)
    if log_as:
        log(log_as, guild=proposal.guild, actor=actor, now=now, fact=fact.pk)
    return fact


def admit(batch: Batch, fact: Fact) -> Fact:
    """Believe a fact that waited for a person, settled by the rules beside what is known; return the fact that stands.

    Call it in a transaction. What the fact replaces ends now; where another says the same, that one takes its sources.
    """
    rows = fact.evidence.select_related("message__author")
    proposal = Proposal(
        guild=fact.guild, subject=fact.subject, text=fact.text, kind=cast("Kind", fact.kind),
        confidence=fact.confidence, explicit=fact.source_type == Fact.SourceType.EXPLICIT, said_at=fact.said_at,
        quote=next((row.quote for row in rows), ""), channel=fact.channel, audience_id=fact.audience_id,
        valid_from=fact.valid_from, messages=[row.message for row in rows if row.message], waited=fact,
    )  # fmt: skip
    stands = _apply(batch, proposal, _weigh(proposal, offline.decide))
    if stands.pk != fact.pk:
        batch.change(fact, Action.APPROVE, status=Status.SUPERSEDED, replaced_by_id=stands.pk)
    return stands


def _known(proposal: Proposal) -> FactQuerySet:
    """Return the active facts of the same subject and audience: nothing else is compared."""
    rows = Fact.objects.of(proposal.guild).active().about(proposal.subject)
    return rows.filter(audience=proposal.audience_id)


def _again(proposal: Proposal) -> list[Decision]:
    """Return the decision when the very same is known; none when it is not."""
    same = _known(proposal).filter(normalized=normalize(proposal.text)).values_list("pk", flat=True)
    return [Decision(action="REINFORCE", fact=pk) for pk in same]


def _weigh(proposal: Proposal, decide: Decide | None) -> list[Decision]:
    rules = decide is offline.decide or (decide is None and chosen("careful", own=proposal.guild.model_careful) is None)
    try:
        return (_among_newest if rules else _among_nearest)(proposal, decide or _asker(proposal))
    except ModelFailed:
        return [DOUBT]


def _asker(proposal: Proposal) -> Decide:
    return lambda given: ask(CONSOLIDATION, ConsolidationCases(cases=[given]), guild=proposal.guild.pk)


def _among_newest(proposal: Proposal, decide: Decide) -> list[Decision]:
    """Let the rules decide on those of the newest facts that could mean something to the new one."""
    known, words = similar_facts.known_facts(proposal), normalize(proposal.text)
    if again := [Decision(action="REINFORCE", fact=pk) for pk, normalized in known.items() if normalized == words]:
        return again
    related = offline.related(proposal.text)
    ids = known if related.shapes else [pk for pk, normalized in known.items() if related.words(normalized)]
    rows = similar_facts.newest(ids, limit=NEWEST) if ids else []
    subject = proposal.subject.pk if proposal.subject else None
    old = [KnownFact(id=pk, subject=subject, text=text) for pk, text, normalized in rows if related(text, normalized)]
    return _decided(proposal, old, decide)


def _among_nearest(proposal: Proposal, decide: Decide) -> list[Decision]:
    """Let a model decide on the nearest few."""
    if again := _again(proposal):
        return again
    return _decided(proposal, _near(proposal), decide)


def _near(proposal: Proposal) -> list[KnownFact]:
    rows = _known(proposal).order_by("-said_at")
    if chosen("careful", own=proposal.guild.model_careful) is None:
        rows = rows[:NEWEST]
    else:
        rows = rows.filter(pk__in=similar_facts.nearest_facts(proposal, limit=NEAREST))
    return [_as_known(fact) for fact in rows]


def _decided(proposal: Proposal, old: list[KnownFact], decide: Decide) -> list[Decision]:
    return decide(_case(proposal, old)).decisions if old else []


def _case(proposal: Proposal, old: list[KnownFact]) -> ConsolidationInput:
    return ConsolidationInput(new=proposal.text, kind=proposal.kind, said_on=proposal.said_at.date(), old=old)


def _as_known(fact: Fact) -> KnownFact:
    return KnownFact(id=fact.pk, subject=fact.subject_id, text=fact.text, said_on=fact.said_at.date())


def _apply(batch: Batch, proposal: Proposal, decisions: list[Decision]) -> Fact:
    """Carry the decisions out; those about facts that changed meanwhile, or that were not asked about, fall away."""
    named = [decision.fact for decision in decisions if decision.fact and decision.action != "KEEP"]
    old = {fact.pk: fact for fact in _known(proposal).filter(pk__in=named)} if named else {}
    decisions = [_fair(decision, proposal, old) for decision in decisions]
    chosen = {action: [old[d.fact] for d in decisions if d.action == action and d.fact in old] for action in _ACTIONS}
    merged = next((d for d in decisions if d.action == "MERGE" and d.fact in old), None)
    if proposal.waits and not chosen["REINFORCE"]:
        return _add(batch, proposal, [], conflict=bool(chosen["INVALIDATE"]))  # nothing ends before a person looked
    if merged and merged.fact:
        fact = _merge(batch, proposal, old[merged.fact], merged.merged_text.strip())
    elif chosen["REINFORCE"]:
        fact = _reinforce(batch, chosen["REINFORCE"][0], proposal)
    else:
        fact = _add(batch, proposal, chosen["INVALIDATE"], conflict=any(d.possible_conflict for d in decisions))
    for beaten in chosen["INVALIDATE"]:
        _invalidate(batch, beaten, fact, proposal)
    return fact


_ACTIONS = ("REINFORCE", "INVALIDATE")


def _fair(decision: Decision, proposal: Proposal, old: dict[int, Fact]) -> Decision:
    """Return the decision, or KEEP where others would overrule what somebody said of themselves, or a merger invents.

    Words of a merger are a model's: they pass the guards of a fact, with the two facts as their source.
    """
    fact = old.get(decision.fact or 0)
    if fact is None:
        return decision
    if decision.action in ("INVALIDATE", "MERGE") and proposal.hearsay and _own_word(fact):
        return Decision(action="KEEP", fact=fact.pk, possible_conflict=decision.action == "INVALIDATE")
    if decision.action == "MERGE":
        words = decision.merged_text
        source, kept = f"{fact.text}\n{proposal.text}", proposal.guild.kept_kinds
        if validation.refuse(words, words, source, kept=kept):
            return Decision(action="KEEP", fact=fact.pk)
    return decision


def _own_word(fact: Fact) -> bool:
    """Tell whether the subject said it, or somebody asked for it to be remembered."""
    return fact.evidence.filter(Q(message=None) | Q(speaker=fact.subject_id)).exists()


def _add(batch: Batch, proposal: Proposal, beaten: list[Fact], *, conflict: bool) -> Fact:
    """Store it as one more; what was said before the fact it contradicts is history from the start."""
    newer = next((fact for fact in beaten if fact.said_at > proposal.said_at), None)
    fields = _past(newer, proposal.valid_from) if newer else {"possible_conflict": conflict}
    if proposal.waited:
        return batch.change(proposal.waited, Action.APPROVE, **{"status": Status.ACTIVE, **fields})
    return batch.add(proposal.fact(**fields), proposal.evidence())


def _invalidate(batch: Batch, beaten: Fact, fact: Fact, proposal: Proposal) -> None:
    """End the validity of what was replaced, unless what replaces it was said earlier.

    The fact that stands may have been first said long before, and be repeated now: what is said now ends the other one.
    """
    if fact.pk == beaten.pk or fact.status != Status.ACTIVE or beaten.said_at > proposal.said_at:
        return
    since = proposal.valid_from or proposal.said_at
    batch.change(beaten, Action.INVALIDATE, **_past(fact, beaten.valid_from, since=since))


def _past(newer: Fact, valid_from: datetime | None, *, since: datetime | None = None) -> dict[str, Any]:
    """Return the fields of a fact that was true until a newer one began; it never ends before its own beginning."""
    until = since or newer.valid_from or newer.said_at
    return {
        "status": Status.SUPERSEDED,
        "replaced_by_id": newer.pk,
        "valid_until": max(until, valid_from) if valid_from else until,
    }


def _merge(batch: Batch, proposal: Proposal, old: Fact, text: str) -> Fact:
    """Put one fact with the evidence of both in place of the two."""
    words = sentence(text)
    if normalize(words) == old.normalized:
        return _reinforce(batch, old, proposal)
    former = [
        Evidence(message=row.message, speaker=row.speaker, quote=row.quote, said_at=row.said_at)
        for row in old.evidence.select_related("message", "speaker")
    ]
    both = {row.message_id or -i: row for i, row in enumerate([*former, *proposal.evidence()], 1)}
    sure = max(old.confidence, proposal.confidence)
    begin = min(filter(None, [old.valid_from, proposal.valid_from]), default=None)
    fact = proposal.fact(text=words, confidence=sure, said_at=max(old.said_at, proposal.said_at), valid_from=begin)
    twin = _known(proposal).filter(normalized=fact.normalized).first()
    fact = _reinforce(batch, twin, proposal) if twin else batch.add(fact, both.values(), action=Action.MERGE)
    batch.change(old, Action.MERGE, status=Status.SUPERSEDED, replaced_by_id=fact.pk)
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
