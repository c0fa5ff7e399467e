"""Finds what may answer a question, by words and by meaning, each inside its scope in the query."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memory.index.documents import active_facts, fact_text
from memory.recall.ranking import WEIGHTS
from memoryhub.ai import ModelFailed, Thresholds, embedder
from memoryhub.search import keywords as words
from memoryhub.search import vectors
from memoryhub.search.scope import Scope

logger = logging.getLogger(__name__)

SHORTEST = 3  # characters of a question that are worth an embedding; seed 000

# How many each lane looks for, and how many of both lanes together are read from their tables. The cost of a search by
# meaning grows with its limit, in a guild of 100,000 facts by two milliseconds for each.
BY_WORDS = {"fact": 60, "note": 30, "message": 60}
BY_MEANING = {"fact": 12, "note": 16}
AT_NEED = 8  # facts without an embedding yet that a question waits for, the best by words; seed 000
READ = {"fact": 40, "note": 30, "message": 40}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Probe:
    """A question made ready once: its words, and its embedding where there is an embedder that answers."""

    question: str
    embedding: vectors.Vector | None = None
    model: str = ""
    thresholds: Thresholds | None = None


class Signal(NamedTuple):
    """What the lanes say of one row: the cosine (None: not embedded), the score of its words, and both as a score."""

    semantic: float | None
    words: float
    promise: float = 0.0


def probe(question: str) -> Probe:
    """Return the question with its embedding; when the embedder fails, recall goes on by words."""
    model = embedder()
    if model is None or len(question.strip()) < SHORTEST:
        return Probe(question=question)
    try:
        embedding = model.query(question)
    except ModelFailed as failure:
        logger.warning("recall by words only, the embedder failed: %s", failure.reason)
        return Probe(question=question)
    return Probe(question=question, embedding=embedding, model=model.identity, thresholds=model.thresholds)


def find(asked: Probe, *, kind: str, scope: Scope, further: int = 1) -> dict[int, Signal]:
    """Return the most promising rows that either lane found, each with its signals.

    `further` looks that many times as far, for a caller who will leave rows out.
    """
    by_words = dict(words.search(kind=kind, query=asked.question, scope=scope, limit=BY_WORDS[kind] * further))
    by_meaning = _by_meaning(asked, kind, scope, BY_MEANING.get(kind, 0) * further, by_words)
    most = max(by_words.values(), default=1.0)
    weigh = _weigher(asked.thresholds)
    promises = sorted(
        (-weigh(by_meaning.get(each), by_words.get(each, 0.0) / most), each)
        for each in by_words.keys() | by_meaning.keys()
    )
    kept = promises[: READ[kind] * further]
    return {each: Signal(by_meaning.get(each), by_words.get(each, 0.0), -promise) for promise, each in kept}


def _weigher(thresholds: Thresholds | None) -> Callable[[float | None, float], float]:
    """Return what makes of a cosine and a share of the best words the part of the score known before a row is read."""
    semantic, lexical = WEIGHTS["semantic"], WEIGHTS["lexical"]

    def weigh(cosine: float | None, words: float) -> float:
        near = words if cosine is None or thresholds is None else thresholds.scaled(cosine)
        return semantic * near + lexical * words

    return weigh


def _by_meaning(asked: Probe, kind: str, scope: Scope, limit: int, found: Mapping[int, float]) -> dict[int, float]:
    """Return the cosines of the nearest, and of what was found by words."""
    if asked.embedding is None or kind not in BY_MEANING:
        return {}
    cosine = dict(
        vectors.search(
            kind=kind, model=asked.model, embedding=asked.embedding, scope=scope, limit=limit, also=found.keys()
        )
    )
    missing = [each for each in found if each not in cosine] if kind == "fact" else []
    return cosine | _embedded_now(asked, missing[:AT_NEED])


def _embedded_now(asked: Probe, ids: list[int]) -> dict[int, float]:
    """Return the cosines of facts that the background has not embedded yet (000); nothing is stored: recall reads."""
    model = embedder() if ids else None
    if model is None or asked.embedding is None or model.identity != asked.model:
        return {}
    facts = list(active_facts().filter(pk__in=ids))
    try:
        embeddings = model.passages([fact_text(fact) for fact in facts])
    except ModelFailed as failure:
        logger.warning("new facts are compared by words only, the embedder failed: %s", failure.reason)
        return {}
    return {fact.pk: float(each @ asked.embedding) for fact, each in zip(facts, embeddings, strict=True)}
