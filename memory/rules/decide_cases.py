"""Several new facts at once, each decided on beside its own old ones."""

from __future__ import annotations

from memory.facts.schemas import ConsolidationCases, Decisions
from memory.rules.decider import decide


def decide_all(given: ConsolidationCases) -> Decisions:
    """Return the decisions on every case, each with the number of its new fact."""
    return Decisions(
        decisions=[
            decision.model_copy(update={"new": number})
            for number, case in enumerate(given.cases, start=1)
            for decision in decide(case).decisions
        ]
    )
