"""Screens what was learned from chat: how likely it is junk beside what is known, and whether a person looks first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory import junk
from memory.models import Fact
from memory.proposals import Proposal
from memory.querysets import FactQuerySet
from memory.shapes import Decision
from memory.wording import normalize
from profiles.models import Member

Status = Fact.Status
NEWEST = 120  # facts of the same subject that a new one is compared with
UPDATES = ("INVALIDATE", "MERGE")


def twin(proposal: Proposal) -> Fact | None:
    """Return the fact that says the very same and waits for review, or was refused; what persons tell needs neither."""
    if proposal.told or not proposal.messages:
        return None
    aside = _beside(proposal).filter(status__in=(Status.PENDING, Status.REFUSED))
    return aside.filter(normalized=normalize(proposal.text)).order_by("-pk").first()


def screened(proposal: Proposal, decisions: Sequence[Decision]) -> Proposal:
    """Return the proposal with its junk score, and whether it waits; what persons tell has no score and never waits."""
    if proposal.told or not proposal.messages or any(decision.action == "REINFORCE" for decision in decisions):
        return proposal
    updated = [decision.fact for decision in decisions if decision.fact and decision.action in UPDATES]
    score = junk.score(
        proposal.text, source=_source(proposal), known=_known(proposal, without=updated), bots=_bots(proposal)
    )
    guild = proposal.guild
    return replace(proposal, score=score, waits=guild.review_all or score.value * 100 > guild.review_above)


def _source(proposal: Proposal) -> str:
    """Return what was said, with the names that a fact may use for "I"."""
    said = [f"{message.author}: {message.text}" for message in proposal.messages]
    return "\n".join([*said, str(proposal.subject or "")])


def _known(proposal: Proposal, *, without: Sequence[int]) -> list[str]:
    """Return what is believed, waits or was refused; what the new fact replaces is near it by nature."""
    rows = _beside(proposal).filter(status__in=(Status.ACTIVE, Status.PENDING, Status.REFUSED))
    return list(rows.exclude(pk__in=without).order_by("-said_at").values_list("text", flat=True)[:NEWEST])


def _beside(proposal: Proposal) -> FactQuerySet:
    return Fact.objects.of(proposal.guild).about(proposal.subject).filter(audience=proposal.audience_id)


def _bots(proposal: Proposal) -> list[str]:
    return [str(bot) for bot in Member.objects.of(proposal.guild).filter(is_bot=True)]
