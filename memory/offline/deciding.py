"""What a new fact means for the nearest old ones, by slot, polarity and containment."""

from __future__ import annotations

from memory.shapes import ConsolidationInput, Decision, Decisions, KnownFact
from memoryhub import language


def decide(given: ConsolidationInput) -> Decisions:
    """Return one decision for each old fact."""
    return Decisions(decisions=[_about(given, old) for old in given.old])


def _about(given: ConsolidationInput, old: KnownFact) -> Decision:
    new_words, old_words = set(language.tokens(given.new)), set(language.tokens(old.text))
    action = "REINFORCE" if new_words <= old_words else "KEEP"
    return Decision(action=action, fact=old.id)  # type: ignore[arg-type]
