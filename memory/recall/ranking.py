"""Orders the candidates for a question by scaled scores, or as seed 000 or 002 does; knows no database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from operator import mul
from typing import NamedTuple

from memory.compatibility import confidence_ranking, weighted_ranking
from memory.recall import time_filter
from memoryhub import language
from memoryhub.ai import Thresholds

DEFAULT, SEED000, SEED002 = "default", "seed000", "seed002"

# Measured on conversations with known answers; a few hundredths more or less change nothing. Confidence, recency and
# channel are too small to lift a weaker answer over a better one: they decide between answers that are about as good.
WEIGHTS = {
    "semantic": 0.39, "lexical": 0.26, "support": 0.25, "named": 0.10, "when": 0.10,
    "confidence": 0.02, "recency": 0.01, "channel": 0.01, "asking": -0.06,
}  # fmt: skip
WEIGHTS_BY_WORDS = {**WEIGHTS, "semantic": 0.0, "lexical": 0.65}

# What the best word score is worth, of 1, when its text has none of the question's words (the message before it has).
REACH = 0.5

# A question's share of words that an answer must have to count as one, alone or beside some likeness of meaning.
ENOUGH_WORDS, SOME_WORDS = 0.5, 0.25
# How far above "related" a cosine must lie to count without any word: below, questions about nothing here pass too.
ALONE = 0.2
# What a strictness adds: to the share of words, and to likeness, in parts of what lies between related and alike.
STRICTNESS = {"loose": (-0.15, -0.15), "usual": (0.0, 0.0), "strict": (0.25, 0.25)}


class Candidate(NamedTuple):
    """Something that may answer; `name` is whom it is about or who said it.

    `semantic` is its cosine with the question (None: not embedded), `words` the word index's score, `support` the score
    (0 to 1) of the best note that tells of the conversation which it comes from.
    """

    kind: str
    id: int
    text: str
    said_at: datetime
    last_reinforced_at: datetime | None = None
    name: str = ""
    evidence: str = ""
    subject: int = 0
    confidence: float = 0.5
    channel: int | None = None
    semantic: float | None = None
    words: float = 0.0
    support: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The question, when and in which channel it is asked, and what the embedder's cosines mean (None: no embedder).

    `strictness` is the guild's: loose, usual, strict. `weights` and `word_weights` take the place of seed 000's own.
    """

    question: str
    now: datetime
    channel: int | None = None
    thresholds: Thresholds | None = None
    strictness: str = "usual"
    weights: weighted_ranking.Weights = field(default_factory=dict)
    word_weights: weighted_ranking.Weights = field(default_factory=dict)


class Ranked(NamedTuple):
    """A candidate with its score, the parts of it, and the gate it passed ("" for none, None when not judged yet)."""

    candidate: Candidate
    score: float
    parts: dict[str, float]
    gate: str | None = None


def rank(candidates: Sequence[Candidate], *, asked: Asked, preset: str = DEFAULT, strict: bool = False) -> list[Ranked]:
    """Return the candidates best first; with `strict` only those that pass the relevance gate, which may be none."""
    return list(judged(scored(candidates, asked=asked, preset=preset), asked=asked, strict=strict))


def scored(candidates: Sequence[Candidate], *, asked: Asked, preset: str = DEFAULT) -> list[Ranked]:
    """Return the candidates best first, equals newest first; only those of seed 000 are judged yet."""
    return PRESETS[preset](candidates, asked)


def judged(ranked: Iterable[Ranked], *, asked: Asked, strict: bool) -> Iterator[Ranked]:
    """Yield them with their gates, worked out as far as they are wanted; with `strict` only those that pass one."""
    question = _stems(asked.question)
    for each in ranked:
        known = each if each.gate is not None else _judged(each, question, asked)
        if known.gate or not strict:
            yield known


def by_scaled_sum(candidates: Sequence[Candidate], asked: Asked) -> list[Ranked]:
    """Score by scaled meaning plus scaled words, and what speaks for the candidate besides; 0 to about 1."""
    question = _stems(asked.question)
    most = _full_words(candidates, question)
    times = time_filter.asked_about(asked.question, asked.now)
    vectors = weighted_ranking.has_vectors([each.semantic for each in candidates])
    return _sorted(_scaled(each, asked, question, most, times, vectors=vectors) for each in candidates)


def _full_words(candidates: Sequence[Candidate], question: set[str]) -> float:
    """Return the word score that counts as 1: the best one, or more where the best has only part of the question."""
    best = max(candidates, key=lambda each: each.words, default=None)
    if best is None or not best.words:
        return 1.0
    return best.words / (REACH + (1 - REACH) * _covered(question, best))


def _scaled(
    each: Candidate,
    asked: Asked,
    question: set[str],
    most: float,
    times: Sequence[time_filter.Period],
    *,
    vectors: bool,
) -> Ranked:
    semantic, lexical = _meaning_and_words(each, asked, question, most) if vectors else _words(each, question, most)
    parts = {  # in the order of the weights
        "semantic": semantic,
        "lexical": lexical,
        "support": each.support,
        "named": float(not question.isdisjoint(_name_stems(each.name))),
        "when": float(time_filter.told_in(each.said_at, times)),
        "confidence": each.confidence,
        "recency": weighted_ranking.recency(each.said_at, asked.now),
        "channel": weighted_ranking.channel(asked.channel, each.channel),
        "asking": float(each.text.rstrip().endswith("?")),
    }
    weights = WEIGHTS if vectors else WEIGHTS_BY_WORDS
    return Ranked(each, round(sum(map(mul, weights.values(), parts.values())), 6), parts)


def _meaning_and_words(each: Candidate, asked: Asked, question: set[str], most: float) -> tuple[float, float]:
    """Return both scores, 0 to 1; what is not embedded yet counts as being as near as its words are."""
    if each.semantic is not None and asked.thresholds is not None:
        return asked.thresholds.scaled(each.semantic), each.words / most
    covered = _covered(question, each)
    return covered, each.words / most if each.words else covered


def _words(each: Candidate, question: set[str], most: float) -> tuple[float, float]:
    """Return the score of the words alone; what the word index did not find is compared here."""
    return 0.0, each.words / most if each.words else _covered(question, each)


def _judged(each: Ranked, question: set[str], asked: Asked) -> Ranked:
    covered = _covered(question, each.candidate)
    gate = _gate(each.candidate.semantic, covered, asked.thresholds, STRICTNESS[asked.strictness])
    return each._replace(gate=gate, parts={**each.parts, "covered": covered})


def _gate(
    cosine: float | None, covered: float, thresholds: Thresholds | None, more: tuple[float, float] = STRICTNESS["usual"]
) -> str:
    words, likeness = more
    if covered >= ENOUGH_WORDS + words:
        return "lexical"
    if cosine is None or thresholds is None:
        return ""
    related = thresholds.related + likeness * (thresholds.ceiling - thresholds.related)
    if cosine >= related + ALONE * (thresholds.ceiling - thresholds.related):
        return "semantic"
    return "both" if covered >= SOME_WORDS and cosine >= related else ""


def by_seed000(candidates: Sequence[Candidate], asked: Asked) -> list[Ranked]:
    """Score by the formula of seed 000; if no candidate passes its gate they all come back, marked as failing."""
    vectors = weighted_ranking.has_vectors([each.semantic for each in candidates])
    gated = vectors or bool(weighted_ranking.tokens(asked.question, weighted_ranking.QUESTION_TOKENS))
    every = [_seeded(each, asked, vectors=vectors, gated=gated) for each in candidates]
    return _sorted([each for each in every if each.gate] or every)


def _seeded(each: Candidate, asked: Asked, *, vectors: bool, gated: bool) -> Ranked:
    parts = {
        "semantic": max(0.0, each.semantic or 0.0),
        "lexical": weighted_ranking.lexical(asked.question, each.text, each.evidence),
        "confidence": each.confidence,
        "recency": weighted_ranking.recency(each.said_at, asked.now),
        "channel": weighted_ranking.channel(asked.channel, each.channel),
    }
    score = weighted_ranking.combined(parts, vectors=vectors, other=asked.weights if vectors else asked.word_weights)
    return Ranked(each, score, parts, weighted_ranking.gate(parts, score, vectors=vectors) if gated else "open")


def by_seed002(candidates: Sequence[Candidate], asked: Asked) -> list[Ranked]:
    """Put what the lanes found in seed 002's order, whatever was asked: the score is the confidence."""
    return [_weighed(each, asked) for each in confidence_ranking.established_first(candidates)]


def _weighed(each: Candidate, asked: Asked) -> Ranked:
    heard = each.last_reinforced_at or each.said_at
    parts = {"confidence": each.confidence, "recency": weighted_ranking.recency(heard, asked.now)}
    return Ranked(each, each.confidence, parts)


PRESETS: dict[str, Callable[[Sequence[Candidate], Asked], list[Ranked]]] = {
    DEFAULT: by_scaled_sum,
    SEED000: by_seed000,
    SEED002: by_seed002,
}


def shared_words(question: str, text: str) -> float:
    """Return the share of the question's words that the text has, whatever their endings."""
    wanted = _stems(question)
    return _had(wanted, text) / len(wanted) if wanted else 0.0


def _stems(text: str) -> set[str]:
    return set(map(language.stem, language.content(text)))


@lru_cache(maxsize=2_000)
def _name_stems(name: str) -> frozenset[str]:
    return frozenset(_stems(name))


def _covered(question: set[str], each: Candidate) -> float:
    """Return the share of the question's words that the text has; the member's name alone answers nothing."""
    wanted, text = question - _name_stems(each.name) or question, f"{each.name} {each.text} {each.evidence}"
    return _had(wanted, text) / len(wanted) if wanted else 0.0


def _had(stems: Iterable[str], text: str) -> int:
    """Return how many of the stems the words of the text have.

    Most texts have none; of the others, only what stands where one is found is cut into words.
    """
    said = language.folded(text)
    found = [stem for stem in stems if stem in said]
    return len(_stems(" ".join(each for stem in found for each in _around(stem, said))).intersection(found))


def _around(part: str, text: str) -> Iterator[str]:
    """Yield what stands between blanks wherever the text has the part."""
    at = text.find(part)
    while at >= 0:
        end = text.find(" ", at)
        end = len(text) if end < 0 else end
        yield text[text.rfind(" ", 0, at) + 1 : end]
        at = text.find(part, end)


def _sorted(ranked: Iterable[Ranked]) -> list[Ranked]:
    return sorted(ranked, key=lambda each: (each.score, each.candidate.said_at, each.candidate.id), reverse=True)
