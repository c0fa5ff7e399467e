"""The same action on many facts: each for itself, so that one that can't be changed holds back no other."""

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

RESTORABLE = (Fact.Status.ARCHIVED, Fact.Status.SUPERSEDED, Fact.Status.REFUSED)
BULK_ACTIONS: Mapping[str, tuple[Callable[..., Any], Callable[[Fact], bool]]] = {
    "pin": (partial(corrections.correct, pinned=True), lambda fact: not fact.pinned),
    "unpin": (partial(corrections.correct, pinned=False), lambda fact: fact.pinned),
    "archive": (corrections.archive, lambda fact: fact.status == Fact.Status.ACTIVE),
    "restore": (corrections.restore, lambda fact: fact.status in RESTORABLE),
    "delete": (withdraw.forget_fact, lambda _fact: True),
}
"""What is called for each fact, and which facts it would change at all."""


@dataclass(kw_only=True)
class Outcome:
    """How many were changed, how many were so already, and why others could not be."""

    done: int = 0
    idle: int = 0
    refused: list[str] = field(default_factory=list)


def apply(facts: Iterable[Fact], *, deed: BulkAction, actor: str, now: datetime) -> Outcome:
    """Do it to each of the facts, recorded and undoable as if it were done one by one (deleting is for good)."""
    (change, concerns), outcome = BULK_ACTIONS[deed], Outcome()
    for fact in facts:
        if not concerns(fact):
            outcome.idle += 1
            continue
        try:
            change(fact, actor=actor, now=now)
        except FactConflict as conflict:
            outcome.refused.append(str(conflict))
        else:
            outcome.done += 1
    return outcome
