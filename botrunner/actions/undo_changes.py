"""Undoes changes of facts: the newest change of a fact, with all others of the same decision."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db.models import QuerySet

from botrunner.actions import texts_members
from botrunner.actions.escape import one_line
from memory.curation import corrections
from memory.models import Fact, FactChange
from memoryhub.errors import Conflict

Action = FactChange.Action
LEARNED = {Action.ADD, Action.REINFORCE}
"""What memory does all day: nobody who wants the last change undone means these, unless they made them."""
MOST_CHANGES = 200
MOST_CHOICES = 20


def last_changed(facts: QuerySet[Fact], *, by: str) -> Fact | None:
    """Return the fact whose newest change is the last one made `by` somebody, or the last merger, edit or end."""
    changes = _newest_changes(facts)
    return next((change.fact for change in changes if change.actor == by or change.action not in LEARNED), None)


def undo_newest(fact: Fact | None, *, actor: str, now: datetime) -> str:
    """Undo a fact's newest change, and return what the fact says then."""
    if fact is None or next(_newest_changes(Fact.objects.filter(pk=fact.pk)), None) is None:
        return texts_members.NOTHING_TO_UNDO
    try:
        return texts_members.undone(corrections.undo(fact, actor=actor, now=now))
    except Conflict as error:
        return str(error)


def suggest(facts: QuerySet[Fact], *, typed: str) -> list[tuple[str, str]]:
    """Return what could be undone, the newest change first: in words, and by id."""
    choices = [
        (one_line(f"{change.get_action_display()}: {change.fact.text}"), f"#{change.fact_id}")
        for change in _newest_changes(facts)
    ]
    return [(text, pk) for text, pk in choices if typed.lower() in text.lower() or typed == pk][:MOST_CHOICES]


def _newest_changes(facts: QuerySet[Fact]) -> Iterator[FactChange]:
    """Yield the newest change of each fact that can be undone, the newest first."""
    seen: set[int] = set()
    standing = FactChange.objects.filter(fact__in=facts.values("pk"), undone=False).exclude(action=Action.UNDO)
    for change in standing.select_related("fact__guild").order_by("-pk")[:MOST_CHANGES]:
        if change.fact_id not in seen:
            seen.add(change.fact_id)
            yield change
