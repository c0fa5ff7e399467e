"""Several new facts at once, each decided on beside its own old ones."""

from __future__ import annotations

from memory.offline.deciding import decide
from memory.shapes import ConsolidationCases, Decisions


def decide_all(given: ConsolidationCases) -> Decisions:
    """Return the decisions on every case, each with the number of its new fact."""
    return Decisions(
        decisions=[
            decision.model_copy(update={"new": number})
            for number, case in enumerate(given.cases, start=1)
            for decision in decide(case).decisions
        ]
    )
