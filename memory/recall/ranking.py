"""Ranks the candidates for a question by a sum of scaled scores, or by a preset's own order; knows no database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from operator import mul
from typing import Any, NamedTuple

from memory.recall import rare_words, time_filter
from memory.recall.word_overlap import name_stems, question_stems, told_in
from memoryhub.ai import Thresholds

DEFAULT = "default"

# Measured on conversations with known answers; a few hundredths more or less change nothing. Confidence, recency and
# channel are too small to lift a weaker answer over a better one: they decide between answers that are about as good.
WEIGHTS = {
    "semantic": 0.28, "lexical": 0.26, "support": 0.40, "named": 0.10, "when": 0.10,
    "confidence": 0.02, "recency": 0.01, "channel": 0.01, "asking": -0.06,
}  # fmt: skip
WEIGHTS_BY_WORDS = {**WEIGHTS, "semantic": 0.0, "lexical": 0.65}

# Of messages, `told` is the share of the question that one has with the one before it, rare words more. Where the best
# has all of it, meaning weighs `ALWAYS` as much as where none has any of it: LoCoMo's questions have the words of their
# answers, those of a guild seldom do.
MESSAGE_WEIGHTS = {
    **WEIGHTS, "semantic": 0.60, "lexical": 0.20, "named": 0.12, "told": 0.25, "brief": -0.15, "outdated": -0.12,
}  # fmt: skip
MESSAGE_WEIGHTS_BY_WORDS = {**MESSAGE_WEIGHTS, "semantic": 0.0, "lexical": 0.40}
ALWAYS = 0.07
# How far below the best a message's cosine counts, in parts of what lies between a thresholds' floor and ceiling.
REACHED = 0.5

# A message of fewer bytes is brief: such a one is near to many questions, and answers few whose words it does not have.
# (A letter of most scripts that need more bytes for one says more.)
BRIEF = 45

# What the best word score is worth, of 1, when its text has none of the question's words (the message before it has).
REACH = 0.5

# A question's share of words that an answer must have to count as one, alone or beside some likeness of meaning.
ENOUGH_WORDS, SOME_WORDS = 0.5, 0.25
# How far above "related" a cosine must lie to count without any word: below, questions about nothing here pass too.
ALONE = 0.2
# What a strictness adds: to the share of words, and to likeness, in parts of what lies between related and alike.
STRICTNESS = {"loose": (-0.15, -0.15), "usual": (0.0, 0.0), "strict": (0.25, 0.25)}

DAYS_TO_HALF = 45.0
SAME_CHANNEL, NO_CHANNEL = 1.0, 0.25


class Candidate(NamedTuple):
    """Something that may answer; `name` is whom it is about or who said it.

    `semantic` is its cosine with the question (None: not embedded), `words` the keyword index's score, `support` the
    score (0 to 1) of the best note that tells of the conversation which it comes from (None: there is none, and its own
    likeness stands in), `before` what was said right before a message, and by whom; `outdated` says that what a message
    told is known to hold no longer. `evidence` are the words that a fact rests on, where the preset compares them.
    """

    kind: str
    id: int
    text: str
    said_at: datetime
    last_reinforced_at: datetime | None = None
    name: str = ""
    subject: int = 0
    confidence: float = 0.5
    channel: int | None = None
    semantic: float | None = None
    words: float = 0.0
    support: float | None = 0.0
    before: str = ""
    outdated: bool = False
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """The question, when and in which channel it is asked, and what the embedder's cosines mean (None: no embedder).

    `now` is by the guild's clock: "yesterday" is its day. `strictness` is the guild's: loose, usual, strict.
    """

    question: str
    now: datetime
    channel: int | None = None
    thresholds: Thresholds | None = None
    strictness: str = "usual"


class Ranked(NamedTuple):
    """A candidate with its score, the parts of it, and the gate it passed ("" for none, None when not judged yet)."""

    candidate: Candidate
    score: float
    parts: dict[str, float]
    gate: str | None = None


def rank(
    candidates: Sequence[Candidate], *, criteria: Criteria, preset: str = DEFAULT, strict: bool = False
) -> list[Ranked]:
    """Return the candidates best first; with `strict` only those that pass the relevance gate, which may be none."""
    return list(judged(PRESETS[preset].rank(candidates, criteria), criteria=criteria, strict=strict))


def judged(ranked: Iterable[Ranked], *, criteria: Criteria, strict: bool) -> Iterator[Ranked]:
    """Yield them with the gate that each passes, worked out as far as they are wanted; a preset may have judged before.

    With `strict` only those that pass: by enough of the question's words, by meaning, or by some of both.
    """
    question, thresholds = question_stems(criteria.question), criteria.thresholds
    more_words, more_likeness = STRICTNESS[criteria.strictness]
    for each in ranked:
        if each.gate is not None:
            judgement = each
        else:
            gate, covered, cosine = "", coverage(question, each.candidate), each.candidate.semantic
            if covered >= ENOUGH_WORDS + more_words:
                gate = "lexical"
            elif cosine is not None and thresholds is not None:
                span = thresholds.ceiling - thresholds.related
                related = thresholds.related + more_likeness * span
                both = "both" if covered >= SOME_WORDS and cosine >= related else ""
                gate = "semantic" if cosine >= related + ALONE * span else both
            judgement = Ranked(each.candidate, each.score, {**each.parts, "covered": covered}, gate)
        if judgement.gate or not strict:
            yield judgement


def by_scaled_sum(candidates: Sequence[Candidate], criteria: Criteria) -> list[Ranked]:
    """Score by scaled meaning plus scaled words, and what speaks for the candidate besides; 0 to about 1."""
    vectors = has_vectors(candidates)
    if candidates and candidates[0].kind == "message":
        weights = MESSAGE_WEIGHTS if vectors else MESSAGE_WEIGHTS_BY_WORDS
        question = question_stems(criteria.question)
        told = rare_words.shares(question, [f"{each.before} {each.name} {each.text}" for each in candidates])
    else:
        weights, told = WEIGHTS if vectors else WEIGHTS_BY_WORDS, []
    yardstick = _yardstick(candidates, criteria, told, vectors=vectors)
    ranked, in_order = [], list(weights.values())
    for each, share in zip_longest(candidates, told):
        parts = _parts(each, yardstick, criteria)  # in the order of the weights
        if share is not None:
            brief = max(0.0, 1.0 - len(each.text.encode()) / BRIEF)
            parts |= {"told": share, "brief": (1.0 - share) * brief, "outdated": float(each.outdated)}
        ranked.append(Ranked(each, round(max(0.0, sum(map(mul, in_order, parts.values()))), 6), parts))
    return best_first(ranked)


class Yardstick(NamedTuple):
    """What the candidates of one question are measured by.

    `full` is the word score that counts as 1, `likeness` scales cosines (None: no embedder says what they mean),
    `named` tells which names the question has, `periods` are the days that it names.
    """

    question: frozenset[str]
    vectors: bool
    full: float
    likeness: Callable[[float], float] | None
    named: dict[str, float]
    periods: tuple[time_filter.Period, ...]


def _yardstick(
    candidates: Sequence[Candidate], criteria: Criteria, told: Sequence[float], *, vectors: bool
) -> Yardstick:
    question = question_stems(criteria.question)
    # The word score that counts as 1: the best one, or more where the best has only part of the question. What a note
    # has of it stands in its talk.
    best = max(candidates, key=lambda each: each.words, default=None)
    covered = 1.0 if not best or best.kind == "note" else coverage(question, best)
    return Yardstick(
        question=question,
        vectors=vectors,
        full=best.words / (REACH + (1 - REACH) * covered) if best and best.words else 1.0,
        likeness=_likeness(candidates, criteria.thresholds, told) if vectors and criteria.thresholds else None,
        # Of many candidates few are of different people, and most questions name no time.
        named={name: float(not question.isdisjoint(name_stems(name))) for name in {each.name for each in candidates}},
        periods=time_filter.named_periods(criteria.question, criteria.now.date()),
    )


def _parts(each: Candidate, yardstick: Yardstick, criteria: Criteria) -> dict[str, float]:
    """Return what speaks for a candidate, by part."""
    lexical = each.words / yardstick.full
    if yardstick.likeness and each.semantic is not None:
        semantic = yardstick.likeness(each.semantic)
    else:
        # What the keyword index did not find is compared here; what is not embedded yet is as near as its words.
        covered = coverage(yardstick.question, each) if yardstick.vectors or not each.words else 0.0
        semantic = covered if yardstick.vectors else 0.0
        lexical = lexical if each.words else covered
    support, periods = each.support, yardstick.periods
    if support is None:
        support = (semantic + lexical) / 2 if yardstick.vectors else lexical
    return {
        "semantic": semantic,
        "lexical": lexical,
        "support": support,
        "named": yardstick.named[each.name],
        "when": float(time_filter.said_in(each.said_at.astimezone(criteria.now.tzinfo), periods)) if periods else 0.0,
        "confidence": each.confidence,
        "recency": recency(each.said_at, criteria.now),
        "channel": same_channel(criteria.channel, each.channel),
        "asking": float(each.text.rstrip().endswith("?")),
    }


def _likeness(
    candidates: Sequence[Candidate], thresholds: Thresholds, told: Sequence[float]
) -> Callable[[float], float]:
    """Return what scales cosines; of messages by how far they are below the best, less where words tell enough."""
    if not told:
        return thresholds.scaled
    nearest = max(each.semantic for each in candidates if each.semantic is not None)
    reach = REACHED * (thresholds.ceiling - thresholds.floor)
    most = thresholds.scaled(nearest) * (ALWAYS + (1 - ALWAYS) * (1 - max(told)))
    return lambda cosine: most * max(0.0, 1 - (nearest - cosine) / reach)


@dataclass(frozen=True)
class Preset:
    """A way to rank; `select` may take only some of the best, such as those that fit into so many characters.

    `complete` may first read, in a view, what else the candidates need to be compared.
    """

    rank: Callable[[Sequence[Candidate], Criteria], list[Ranked]]
    select: Callable[[Sequence[Candidate]], Collection[Candidate]] | None = None
    complete: Callable[[Any, Sequence[Candidate]], Sequence[Candidate]] = lambda _view, candidates: candidates


PRESETS: dict[str, Preset] = {DEFAULT: Preset(by_scaled_sum)}
"""The rankings by name; `memory.compatibility` adds those of the designs that memoryhub joins."""


def has_vectors(candidates: Iterable[Candidate]) -> bool:
    """Say whether meaning can be compared: at least one candidate has a positive cosine."""
    return any(each.semantic is not None and each.semantic > 0 for each in candidates)


def coverage(question: frozenset[str], candidate: Candidate) -> float:
    """Return the share of the question's words that the text has; the member's name alone answers nothing."""
    name = name_stems(candidate.name)
    wanted = question - name or question
    return len(told_in(wanted, candidate.text) | (wanted & name)) / len(wanted) if wanted else 0.0


def recency(said_at: datetime, now: datetime) -> float:
    """Return 1 for now, 0.5 after 45 days, falling on; the future counts as now.

    No finer than a score tells, so that the same question gets the same answer a moment later.
    """
    days = max(0.0, (now - said_at).total_seconds() / 86_400)
    return round(1.0 / (1.0 + days / DAYS_TO_HALF), 4)


def same_channel(asked_in: int | None, said_in: int | None) -> float:
    """Return 1 for the same channel, 0.25 for a fact without one, else 0."""
    if asked_in is None:
        return 0.0
    return NO_CHANNEL if said_in is None else SAME_CHANNEL * (asked_in == said_in)


def best_first(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Return the highest scores first, of equal ones the newest."""
    return sorted(ranked, key=lambda each: (each.score, each.candidate.said_at, each.candidate.id), reverse=True)
