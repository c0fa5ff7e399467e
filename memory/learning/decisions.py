"""What a new fact means for known ones: which of them it is compared with, and who decides, a model or the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from memory import rules
from memory.facts.normalization import normalize
from memory.facts.proposal import Proposal
from memory.facts.schemas import ConsolidationCases, ConsolidationInput, Decision, Decisions, KnownFact
from memory.index import embeddings
from memory.index.documents import fact_text
from memory.learning.known_facts import STORED, KnownFacts, Row, comparable
from memory.learning.prompts import CONSOLIDATION
from memoryhub.ai import ModelFailed, ask, embedder
from memoryhub.ai.model_choice import chosen
from memoryhub.community.days import day_of
from memoryhub.search import keywords, vectors
from memoryhub.search.scope import NOBODY, WHOLE_GUILD, Scope

NEAREST = 3  # old facts that a model compares the new one with
DOUBT = Decision(action="KEEP", possible_conflict=True)  # what a model's failure leaves, and what looks at odds
Decide = Callable[[ConsolidationInput], Decisions]
LATELY = 24  # of a subject's newest facts that may have no vector yet


def repeats(proposal: Proposal) -> list[Decision]:
    """Return the decision when the very same is known; none when it is not."""
    same = comparable(proposal).filter(normalized=normalize(proposal.text)).values_list("pk", flat=True)
    return [Decision(action="REINFORCE", fact=pk) for pk in same]


def weigh(proposal: Proposal, decide: Decide | None = None, *, among: KnownFacts = STORED) -> list[Decision]:
    """Return the decisions on one new fact, by `decide` (default: the careful model, else the rules).

    The rules read those of the newest facts that could mean something to the new one, a model the nearest few. A
    model's failure leaves a doubt.
    """
    guild = proposal.guild
    if decide is None and chosen("careful", own=guild.model_careful) is not None:
        return weigh_together([proposal])[0]
    known, words = among.believed(proposal), normalize(proposal.text)
    again = [Decision(action="REINFORCE", fact=pk) for pk in known.having(words)]
    related, every = rules.related(proposal.text), decide not in (None, rules.decide)
    ids = known.ids if every or related.shapes else [known.ids[place] for place in related.among(known.texts)]
    rows = among.newest(proposal, ids, of=len(known.ids)) if ids and not again else []
    subject = proposal.subject.pk if proposal.subject else None
    if not every and related.shapes:
        rows = [row for row in rows if related(row.text, row.normalized)]
    if not rows:
        return again
    if decide is rules.decide:
        return _by_rules(proposal.text, rows)
    old = [KnownFact(id=row.id, subject=subject, text=row.text) for row in rows]
    case = ConsolidationInput(new=proposal.text, said_on=day_of(guild, proposal.said_at), old=old)
    try:
        answer = decide(case) if decide else ask(CONSOLIDATION, ConsolidationCases(cases=[case]), guild=guild.pk)
        return answer.decisions
    except ModelFailed:
        return [DOUBT]


def _by_rules(text: str, known: Sequence[Row]) -> list[Decision]:
    """Return the rules' decisions that change something, and a doubt for each that looks at odds."""
    made = []
    for row, (action, conflict) in zip(known, rules.judge(text, [row.text for row in known]), strict=True):
        if conflict:
            made.append(DOUBT.model_copy(update={"fact": row.id}))
        elif action and action != "KEEP":
            made.append(Decision(action=action, fact=row.id, merged_text=text if action == "MERGE" else ""))
    return made


def weigh_together(proposals: list[Proposal]) -> list[list[Decision]]:
    """Return the model's decisions on each new fact, with one call for all that have something near."""
    decided, cases = [repeats(proposal) for proposal in proposals], dict[int, ConsolidationInput]()
    try:
        for place, proposal in enumerate(proposals):
            ids = [] if decided[place] else nearest_facts(proposal, limit=NEAREST)
            rows = comparable(proposal).filter(pk__in=ids).order_by("-said_at") if ids else []
            said_on = partial(day_of, proposal.guild)
            old = [KnownFact(id=f.pk, subject=f.subject_id, text=f.text, said_on=said_on(f.said_at)) for f in rows]
            if old:
                cases[place] = ConsolidationInput(new=proposal.text, said_on=said_on(proposal.said_at), old=old)
    except ModelFailed:
        return [known or [DOUBT] for known in decided]
    try:
        given = ConsolidationCases(cases=list(cases.values()))
        answer = ask(CONSOLIDATION, given, guild=proposals[0].guild.pk).decisions if cases else []
    except ModelFailed:
        answer = [DOUBT.model_copy(update={"new": new}) for new in range(1, len(cases) + 1)]
    for new, place in enumerate(cases, start=1):
        decided[place] = [decision for decision in answer if decision.new == new]
    return decided


def touching(proposals: Sequence[Proposal]) -> set[tuple[int, int]]:
    """Return pairs of places of new facts about the same subject, the earlier one first, that may mean the same thing.

    They share words, or lie near in meaning where there is an embedder.
    """
    model, found = embedder() if len(proposals) > 1 else None, set()
    try:
        meaning = model.passages([fact_text(proposal.fact()) for proposal in proposals]) if model else None
    except ModelFailed:
        meaning = None
    for later, proposal in enumerate(proposals):
        related = rules.related(proposal.text)
        for earlier, other in enumerate(proposals[:later]):
            if (other.subject, other.audience_id) == (proposal.subject, proposal.audience_id):
                near = model and meaning is not None and meaning[earlier] @ meaning[later] > model.thresholds.same
                if near or related(other.text, normalize(other.text)):
                    found.add((earlier, later))
    return found


def nearest_facts(proposal: Proposal, *, limit: int) -> list[int]:
    """Return row ids of the same subject's nearest facts in the same audience, near enough to mean the same thing.

    Without an embedder, the facts that share most words. Raises ModelFailed.
    """
    scope = Scope(
        guild=proposal.guild.pk,
        audiences=[proposal.audience_id or WHOLE_GUILD],
        subjects=[proposal.subject.pk if proposal.subject else NOBODY],
    )
    model = embedder()
    if model is None:
        return [match.id for match in keywords.search(kind="fact", query=proposal.text, scope=scope, limit=limit)]
    # What was learned a moment ago has no vector yet, and may be the very thing that is contradicted now.
    embeddings.embed_facts(sorted(STORED.believed(proposal).ids)[-LATELY:])
    passage = model.passages([fact_text(proposal.fact())])[0]
    found = vectors.search(kind="fact", model=model.identity, embedding=passage, scope=scope, limit=limit)
    return [match.id for match in found if match.score > model.thresholds.same]
