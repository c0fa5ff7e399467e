"""Orders the candidates for a question by scaled scores, or by seed 000's formula; knows no database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory import seed000
from memoryhub import language
from memoryhub.ai import Thresholds

DEFAULT, SEED000 = "default", "seed000"

# How much meaning counts beside words; measured on conversations with known answers, where 0.5 to 0.7 differ by noise.
MEANING = 0.6
# Too small to lift a weaker answer over a better one: they decide between answers that are about as good.
TIE_BREAKS = {"confidence": 0.04, "recency": 0.02, "channel": 0.02}

# A question's share of words that an answer must have to count as one, alone or beside some likeness of meaning.
ENOUGH_WORDS, SOME_WORDS = 0.5, 0.25
# Share of different words shared by two texts that say the same.
SAME_TEXT = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something that may answer; `name` is whom it is about or who said it.

    `semantic` is its cosine with the question (None: not embedded), `words` the word index's score.
    """

    kind: str
    id: int
    text: str
    said_at: datetime
    name: str = ""
    evidence: str = ""
    subject: int = 0
    confidence: float = 0.5
    channel: int | None = None
    semantic: float | None = None
    words: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The question, when and in which channel it is asked, and what the embedder's cosines mean (None: no embedder)."""

    question: str
    now: datetime
    channel: int | None = None
    thresholds: Thresholds | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score, the parts of it, and the gate it passed ("" when it is below all of them)."""

    candidate: Candidate
    score: float
    parts: dict[str, float]
    gate: str


def rank(candidates: Sequence[Candidate], *, asked: Asked, preset: str = DEFAULT, strict: bool = False) -> list[Ranked]:
    """Return the candidates best first; with `strict` only those that pass the relevance gate, which may be none."""
    scored = sorted(PRESETS[preset](candidates, asked), key=_best_then_newest)
    return [each for each in scored if each.gate] if strict else scored


def by_scaled_sum(candidates: Sequence[Candidate], asked: Asked) -> list[Ranked]:
    """Score by scaled meaning plus scaled words; without any embedding by words alone."""
    question = _stems(asked.question)
    most = max((each.words for each in candidates), default=0.0) or 1.0
    meaning = MEANING if seed000.has_vectors([each.semantic for each in candidates]) else 0.0
    return [_scaled(each, asked, question, most, meaning) for each in candidates]


def _scaled(each: Candidate, asked: Asked, question: set[str], most: float, meaning: float) -> Ranked:
    covered = _covered(question, each)
    parts = {
        "semantic": _meaning(each, asked, covered),
        "lexical": each.words / most if each.words or each.semantic is not None else covered,
        "covered": covered,
        "confidence": each.confidence,
        "recency": seed000.recency(each.said_at, asked.now),
        "channel": seed000.channel(asked.channel, each.channel),
    }
    score = meaning * parts["semantic"] + (1 - meaning) * parts["lexical"]
    score += sum(weight * parts[name] for name, weight in TIE_BREAKS.items())
    return Ranked(each, round(score, 6), parts, _gate(each.semantic, covered, asked.thresholds))


def _meaning(each: Candidate, asked: Asked, covered: float) -> float:
    """Return the scaled cosine; what is not embedded yet counts as being as near as its words are."""
    if each.semantic is None or asked.thresholds is None:
        return covered
    return asked.thresholds.scaled(each.semantic)


def _gate(cosine: float | None, covered: float, thresholds: Thresholds | None) -> str:
    if covered >= ENOUGH_WORDS:
        return "lexical"
    if cosine is None or thresholds is None:
        return ""
    if cosine >= thresholds.related:
        return "semantic"
    near = (thresholds.floor + thresholds.related) / 2
    return "both" if covered >= SOME_WORDS and cosine >= near else ""


def by_seed000(candidates: Sequence[Candidate], asked: Asked) -> list[Ranked]:
    """Score by the formula of seed 000; if no candidate passes its gate they all come back, marked as failing."""
    vectors = seed000.has_vectors([each.semantic for each in candidates])
    gated = vectors or bool(seed000.tokens(asked.question, seed000.QUESTION_TOKENS))
    scored = [_seeded(each, asked, vectors=vectors, gated=gated) for each in candidates]
    passing = [each for each in scored if each.gate]
    return passing or scored


def _seeded(each: Candidate, asked: Asked, *, vectors: bool, gated: bool) -> Ranked:
    parts = {
        "semantic": max(0.0, each.semantic or 0.0),
        "lexical": seed000.lexical(asked.question, each.text, each.evidence),
        "confidence": each.confidence,
        "recency": seed000.recency(each.said_at, asked.now),
        "channel": seed000.channel(asked.channel, each.channel),
    }
    score = seed000.combined(parts, vectors=vectors)
    return Ranked(each, score, parts, seed000.gate(parts, score, vectors=vectors) if gated else "open")


PRESETS: dict[str, Callable[[Sequence[Candidate], Asked], list[Ranked]]] = {
    DEFAULT: by_scaled_sum,
    SEED000: by_seed000,
}


def without_repeats(ranked: Iterable[Ranked], *, limit: int) -> list[Ranked]:
    """Return the first `limit` that do not say, of the same subject, what a better one has said already."""
    kept: list[tuple[Ranked, set[str]]] = []
    for each in ranked:
        if len(kept) == limit:
            break
        words = set(language.tokens(each.candidate.text))
        if not any(_same(each, words, other, others) for other, others in kept):
            kept.append((each, words))
    return [each for each, _ in kept]


def _same(each: Ranked, words: set[str], other: Ranked, others: set[str]) -> bool:
    if (each.candidate.kind, each.candidate.subject) != (other.candidate.kind, other.candidate.subject):
        return False
    if not words or _numbers(words) != _numbers(others):
        return each.candidate.text == other.candidate.text
    return len(words & others) / len(words | others) >= SAME_TEXT


def _numbers(words: set[str]) -> set[str]:
    return {word for word in words if not word.isalpha()}


def _stems(text: str) -> set[str]:
    return {language.stem(word) for word in language.content(text)}


def _covered(question: set[str], each: Candidate) -> float:
    """Return the share of the question's words that the text has; the member's name alone answers nothing."""
    wanted = question - _stems(each.name) or question
    return len(wanted & _stems(f"{each.name} {each.text} {each.evidence}")) / len(wanted) if wanted else 0.0


def _best_then_newest(each: Ranked) -> tuple[float, float, int]:
    return (-each.score, -each.candidate.said_at.timestamp(), -each.candidate.id)
