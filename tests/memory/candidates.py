"""Candidates for a question, as recall ranks them, and what is asked of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memory.recall.ranking import Candidate, Criteria
from memoryhub.ai import Thresholds

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
E5 = Thresholds(same=0.85, duplicate=0.96, related=0.80, floor=0.70, ceiling=0.90)


def candidate(number, text="Lives in Toronto.", *, age=0, **fields):
    """Return a fact, unless it is said otherwise, that was said so many days ago."""
    values = {"kind": "fact", "said_at": NOW - timedelta(days=age), **fields}
    return Candidate(id=number, text=text, **values)


def asked(question="where does Alice live", **fields):
    """Return the question as it is asked with the embedder's thresholds."""
    return Criteria(question=question, now=NOW, **{"thresholds": E5, **fields})


def order(ranked):
    """Return the numbers of what was ranked, best first."""
    return [each.candidate.id for each in ranked]
