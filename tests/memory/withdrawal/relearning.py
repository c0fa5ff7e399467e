"""Alice says one thing after another, each learned before the next; what is known then, without ids."""

from __future__ import annotations

from datetime import datetime

from memory import pipeline
from memory.models import Fact
from tests.factories import NOON, minutes
from tests.incoming import say


def tell(*texts: str, every: int = 30) -> None:
    """Let Alice say each, half an hour apart, and each be learned before the next."""
    for number, text in enumerate(texts):
        at = NOON + minutes(every * number)
        say(text, id=f"m-{number}", at=at)
        learn(at + minutes(1))


def learn(now: datetime) -> None:
    pipeline.learn_waiting("batch", now=now)


def state() -> list[tuple[object, ...]]:
    """Return what is known, without ids."""
    rows = Fact.objects.select_related("replaced_by").order_by("said_at", "text")
    return [
        (fact.text, fact.status, fact.confidence, fact.reinforcements, fact.said_at, fact.last_reinforced_at,
         fact.valid_until, fact.replaced_by and fact.replaced_by.text)
        for fact in rows
    ]  # fmt: skip
