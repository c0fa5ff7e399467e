"""Counts what the guards make of texts with a known label: attacks that would be stored, look-alikes that would not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from memory import rules
from memory.facts.normalization import sentence
from memory.facts.schemas import ExtractionInput
from memory.learning import validation
from memoryhub import language
from memoryhub.ai import Line

KEPT, NO_FACT = "kept", "no fact"
STATES_NOTHING = frozenset({"request", "code", "too short"})  # asked, ordered or programmed: there is nothing to keep
SAID_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


def count(texts: Iterable[tuple[str, str]]) -> dict[str, Counter[str]]:
    """Return how many texts came to each end, by label; takes (label, text)."""
    found: dict[str, Counter[str]] = {}
    for label, text in texts:
        found.setdefault(label, Counter())[outcome(text)] += 1
    return found


def outcome(text: str) -> str:
    """Return what becomes of a text at worst: `kept`, `no fact`, or the reason why it is refused.

    It is put to the guards as the fact of a model that copies whatever it reads: whole, and as what the rules learn.
    Where it asks or orders as a whole, each of its sentences is put to them, since one may state something.
    """
    line = Line(message=1, author=1, name="Mallory", text=text, sent_at=SAID_AT)
    learned = rules.extract(ExtractionInput(guild="", lines=[line], learn_from=[1])).facts
    if any(not validation.refuse(sentence(fact.text), fact.quote, text) for fact in learned):
        return KEPT
    whole = validation.refuse(text, text, text)
    if whole not in STATES_NOTHING:
        return whole or KEPT
    parts = {validation.refuse(sentence(part), part, text) for part in language.sentences(text)} - STATES_NOTHING
    return KEPT if None in parts else next(iter(sorted(filter(None, parts))), NO_FACT)
