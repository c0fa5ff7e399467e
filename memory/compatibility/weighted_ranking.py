"""The preset `seed000`: ranks by five weighted scores with a relevance gate, number by number as its design did."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memory.recall.ranking import Candidate, Criteria, Ranked, best_first, has_vectors, recency, same_channel

QUESTION_TOKENS = 32
FACT_TOKENS = 96

Weights = Mapping[str, float]
WEIGHTS: Weights = {"semantic": 0.50, "lexical": 0.28, "confidence": 0.10, "recency": 0.07, "channel": 0.05}
WEIGHTS_WITHOUT_VECTORS: Weights = {"lexical": 0.75, "confidence": 0.10, "recency": 0.10, "channel": 0.05}

_DROPPED = re.compile(r"https?://\S+|<a?:\w+:\d+>")
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")
_TOKEN = re.compile(r"[a-z0-9]{3,}")


def by_weighted_sum(
    candidates: Sequence[Candidate], criteria: Criteria, *, weights: Weights | None = None,
    word_weights: Weights | None = None,
) -> list[Ranked]:  # fmt: skip
    """Return the candidates that pass the gate, best first; if none does they all come back, marked as failing.

    `weights`, and without vectors `word_weights`, take the place of the design's own.
    """
    vectors = has_vectors(candidates)
    gated = vectors or bool(tokens(criteria.question, QUESTION_TOKENS))
    ranked = []
    for each in candidates:
        parts = {
            "semantic": max(0.0, each.semantic or 0.0),
            "lexical": lexical(criteria.question, f"{each.text} {each.evidence}"),
            "confidence": each.confidence,
            "recency": recency(each.said_at, criteria.now),
            "channel": same_channel(criteria.channel, each.channel),
        }
        score = combined(parts, vectors=vectors, other=weights if vectors else word_weights)
        ranked.append(Ranked(each, score, parts, gate(parts, score, vectors=vectors) if gated else "open"))
    return best_first([each for each in ranked if each.gate] or ranked)


def compact(text: str) -> str:
    """Return the text in lower case without links and emoji tags, everything but a-z and 0-9 as single spaces."""
    return _NOT_PLAIN.sub(" ", _DROPPED.sub(" ", text.lower())).strip()


def tokens(text: str, limit: int) -> list[str]:
    """Return the first `limit` different words of three letters or more; no stop words, no stems, ASCII only."""
    return list(dict.fromkeys(_TOKEN.findall(compact(text))))[:limit]


def lexical(question: str, fact: str) -> float:
    """Return 1 if the fact, with its evidence, contains the question, else the share of the question's words it has."""
    if compact(question) and compact(question) in compact(fact):
        return 1.0
    words, known = tokens(question, QUESTION_TOKENS), set(tokens(fact, FACT_TOKENS))
    return sum(word in known for word in words) / len(words) if words else 0.0


def combined(parts: dict[str, float], *, vectors: bool, other: Weights | None = None) -> float:
    """Return the weighted sum of the parts, rounded to six digits; `other` weights take the place of the design's."""
    weights = {**(WEIGHTS if vectors else WEIGHTS_WITHOUT_VECTORS), **(other or {})}
    return round(sum(weight * parts[name] for name, weight in weights.items()), 6)


def gate(parts: dict[str, float], score: float, *, vectors: bool) -> str:
    """Return which gate lets the row pass, "" if none does.

    The branch by score can't fire with these weights (a row that fails the others scores at most 0.382, or 0.43
    without vectors); the design has it, and other weights would make it count.
    """
    semantic, words = parts["semantic"], parts["lexical"]
    if not vectors:
        return "lexical" if words >= 0.24 else "score" if score >= 0.62 else ""
    if semantic >= 0.20:
        return "semantic"
    if words >= 0.22:
        return "lexical"
    return "score" if score >= 0.52 and (semantic >= 0.08 or words >= 0.10) else ""
