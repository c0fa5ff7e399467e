"""Takes changes of facts back: the newest of a fact, with all others of the same decision (promise 6)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db.models import QuerySet

from botrunner.actions import texts_members
from botrunner.actions.escape import line
from memory.curation import corrections
from memory.models import Fact, FactChange
from memoryhub.errors import Conflict

Action = FactChange.Action
LEARNED = {Action.ADD, Action.REINFORCE}
"""What memory does all day: nobody who wants the last change undone means these, unless they made them."""
LOOKED_AT = 200  # changes
OFFERED = 20


def last_changed(facts: QuerySet[Fact], *, by: str) -> Fact | None:
    """Return the fact whose newest change is the last one made `by` somebody, or the last merger, edit or end."""
    return next((each.fact for each in _newest(facts) if each.actor == by or each.action not in LEARNED), None)


def take_back(fact: Fact | None, *, actor: str, now: datetime) -> str:
    """Take a fact's newest change back, and tell what came of it."""
    change = next(_newest(Fact.objects.filter(pk=fact.pk)), None) if fact else None
    if fact is None or change is None:
        return texts_members.NOTHING_TO_UNDO
    try:
        return texts_members.undone(corrections.undo(fact, actor=actor, now=now), change.get_action_display())
    except Conflict as refused:
        return str(refused)


def suggest(facts: QuerySet[Fact], *, typed: str) -> list[tuple[str, str]]:
    """Return what could be taken back, the newest change first: in words, and by mark."""
    found = ((line(f"{each.get_action_display()}: {each.fact.text}"), f"#{each.fact_id}") for each in _newest(facts))
    return [pair for pair in found if typed.lower() in pair[0].lower() or typed == pair[1]][:OFFERED]


def _newest(facts: QuerySet[Fact]) -> Iterator[FactChange]:
    """Yield the newest change of each fact that can be taken back, the newest first."""
    seen: set[int] = set()
    standing = FactChange.objects.filter(fact__in=facts.values("pk"), undone=False).exclude(action=Action.UNDO)
    for change in standing.select_related("fact__guild").order_by("-pk")[:LOOKED_AT]:
        if change.fact_id not in seen:
            seen.add(change.fact_id)
            yield change
