"""Screens what was learned from chat: how likely it is junk beside what is known, and whether a person looks first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.facts.normalization import normalize
from memory.facts.proposal import Proposal
from memory.facts.schemas import Decision
from memory.learning import junk
from memory.models import Fact
from memoryhub.community.models import Member

Status = Fact.Status
ASIDE = (Status.PENDING, Status.REFUSED)
COMPARED = 120  # newest facts of the same subject
UPDATES = ("INVALIDATE", "MERGE")


def screened(proposal: Proposal, decisions: Sequence[Decision] = ()) -> Proposal:
    """Return the proposal with its junk score, whether it waits, and the fact beside it that says the same.

    What persons tell has no score and never waits; what only repeats is not weighed again.
    """
    if proposal.requested or not proposal.messages or any(decision.action == "REINFORCE" for decision in decisions):
        return proposal
    rows = Fact.objects.of(proposal.guild).about(proposal.subject).filter(audience=proposal.audience_id)
    rows = rows.filter(status__in=(Status.ACTIVE, *ASIDE)).order_by("-said_at", "-pk")
    known, words = list(rows.values_list("pk", "text", "normalized", "status")), normalize(proposal.text)
    updated = {decision.fact for decision in decisions if decision.action in UPDATES}  # near the new one by nature
    others = [text for pk, text, normalized, _ in known if pk not in updated and normalized != words]
    # Behind what was said stand the names that a fact may use for "I": "System:" before it would be an order.
    names = {str(message.author) for message in proposal.messages} | {str(proposal.subject or "")}
    source = "\n".join([*(message.text for message in proposal.messages), *sorted(names)])
    bots = [str(bot) for bot in Member.objects.of(proposal.guild).filter(is_bot=True)]
    score = junk.score(proposal.text, source=source, known=others[:COMPARED], bots=bots)
    return replace(
        proposal,
        score=score,
        needs_review=proposal.guild.review_all or score.value * 100 > proposal.guild.review_above,
        aside=next((pk for pk, _, normalized, status in known if normalized == words and status in ASIDE), None),
    )


def aside(proposal: Proposal) -> Fact | None:
    """Return the fact that says the very same and waits for review, or was refused."""
    return Fact.objects.filter(pk=proposal.aside, status__in=ASIDE).first() if proposal.aside else None
