"""The same done to many facts: each for itself, so that one that can't be changed holds back no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Literal

from memory.curation import corrections
from memory.facts.changes import FactConflict
from memory.models import Fact
from memory.withdrawal import withdraw

BulkAction = Literal["pin", "unpin", "archive", "restore", "delete"]
Verb = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class _How:
    """The verb, and which facts it would change at all."""

    verb: Verb
    concerns: Callable[[Fact], bool] = lambda _: True


BULK_ACTIONS: Mapping[str, _How] = {
    "pin": _How(verb=partial(corrections.correct, pinned=True), concerns=lambda fact: not fact.pinned),
    "unpin": _How(verb=partial(corrections.correct, pinned=False), concerns=lambda fact: fact.pinned),
    "archive": _How(verb=corrections.archive, concerns=lambda fact: fact.status == Fact.Status.ACTIVE),
    "restore": _How(
        verb=corrections.restore,
        concerns=lambda fact: fact.status in (Fact.Status.ARCHIVED, Fact.Status.SUPERSEDED, Fact.Status.REFUSED),
    ),
    "delete": _How(verb=withdraw.forget_fact),
}


@dataclass(kw_only=True)
class Outcome:
    """How many were changed, how many were so already, and why others could not be."""

    done: int = 0
    idle: int = 0
    refused: list[str] = field(default_factory=list)


def apply(facts: Iterable[Fact], *, deed: BulkAction, actor: str, now: datetime) -> Outcome:
    """Do it to each of the facts, recorded and undoable as if it were done one by one (deleting is for good)."""
    how, outcome = BULK_ACTIONS[deed], Outcome()
    for fact in facts:
        if not how.concerns(fact):
            outcome.idle += 1
            continue
        try:
            how.verb(fact, actor=actor, now=now)
        except FactConflict as conflict:
            outcome.refused.append(str(conflict))
        else:
            outcome.done += 1
    return outcome
