"""Seed 000's ranking, exactly: its tokens, scores, weights and relevance gate. Kept as a preset; knows no database."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

QUESTION_TOKENS = 32
FACT_TOKENS = 96
DAYS_TO_HALF = 45.0
SAME_CHANNEL, NO_CHANNEL = 1.0, 0.25

Weights = Mapping[str, float]
WEIGHTS: Weights = {"semantic": 0.50, "lexical": 0.28, "confidence": 0.10, "recency": 0.07, "channel": 0.05}
WEIGHTS_WITHOUT_VECTORS: Weights = {"lexical": 0.75, "confidence": 0.10, "recency": 0.10, "channel": 0.05}

_DROPPED = re.compile(r"https?://\S+|<a?:\w+:\d+>")
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")
_TOKEN = re.compile(r"[a-z0-9]{3,}")


def compact(text: str) -> str:
    """Return the text in lower case without links and emoji tags, everything but a-z and 0-9 as single spaces."""
    return _NOT_PLAIN.sub(" ", _DROPPED.sub(" ", text.lower())).strip()


def tokens(text: str, limit: int) -> list[str]:
    """Return the first `limit` different words of three letters or more; no stop words, no stems, ASCII only."""
    return list(dict.fromkeys(_TOKEN.findall(compact(text))))[:limit]


def lexical(question: str, fact: str, evidence: str = "") -> float:
    """Return 1 if the fact contains the question, else the share of the question's words that it has."""
    asked = compact(question)
    said = compact(f"{fact} {evidence}")
    if asked and asked in said:
        return 1.0
    words = tokens(question, QUESTION_TOKENS)
    known = set(tokens(f"{fact} {evidence}", FACT_TOKENS))
    return sum(word in known for word in words) / len(words) if words else 0.0


def recency(said_at: datetime, now: datetime) -> float:
    """Return 1 for now, 0.5 after 45 days, falling on; the future counts as now."""
    days = max(0.0, (now - said_at).total_seconds() / 86_400)
    return 1.0 / (1.0 + days / DAYS_TO_HALF)


def channel(asked_in: int | None, said_in: int | None) -> float:
    """Return 1 for the same channel, 0.25 for a fact without one, else 0."""
    if asked_in is None:
        return 0.0
    return NO_CHANNEL if said_in is None else SAME_CHANNEL * (asked_in == said_in)


def combined(parts: dict[str, float], *, vectors: bool, other: Weights | None = None) -> float:
    """Return the weighted sum of the parts, rounded as the seed rounds it; `other` takes the place of its weights."""
    weights = {**(WEIGHTS if vectors else WEIGHTS_WITHOUT_VECTORS), **(other or {})}
    return round(sum(weight * parts[name] for name, weight in weights.items()), 6)


def gate(parts: dict[str, float], score: float, *, vectors: bool) -> str:
    """Return which gate lets the row pass, "" if none does.

    The branch by score can't fire with these weights (a row that fails the others scores at most 0.382, or 0.43
    without vectors); it is the seed's, and other weights would make it count.
    """
    semantic, words = parts["semantic"], parts["lexical"]
    if not vectors:
        return "lexical" if words >= 0.24 else "score" if score >= 0.62 else ""
    if semantic >= 0.20:
        return "semantic"
    if words >= 0.22:
        return "lexical"
    return "score" if score >= 0.52 and (semantic >= 0.08 or words >= 0.10) else ""


def has_vectors(similarities: Sequence[float | None]) -> bool:
    """Say whether the formula with vectors applies: at least one candidate has a positive cosine."""
    return any(each is not None and each > 0 for each in similarities)
