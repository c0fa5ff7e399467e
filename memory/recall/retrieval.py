"""Retrieves candidates for a question by words and by meaning, each index searched inside the scope."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import neg
from typing import NamedTuple

from memory.index.documents import with_name
from memory.recall.ranking import WEIGHTS
from memoryhub import db
from memoryhub.ai import ModelFailed, Thresholds, embedder, event_loop
from memoryhub.ai.embedding.question_adapter import question_adapter
from memoryhub.search import keywords, vectors
from memoryhub.search.scope import Scope

logger = logging.getLogger(__name__)

KINDS = ("fact", "note", "message")
SHORTEST = 3  # characters of a question that are worth an embedding

# How many each index looks for, and how many of both together are read from their tables. The cost of a search by
# meaning grows with its limit, in a guild of 100,000 facts by two milliseconds for each.
BY_WORDS = {"fact": 60, "note": 30, "message": 60}
BY_MEANING = {"fact": 12, "note": 16, "message": 24}
# Where words find little, meaning finds what is lacking of so many.
IN_ALL = {"fact": 12, "note": 16, "message": 60}
AT_NEED = 8  # facts without an embedding yet that a question waits for, the best by words
AT_NEED_SECONDS = 0.3
# Written out, since of facts that are new every search asks it.
NEW = f"""SELECT row.id, row.text, who.label FROM {db.listed(alias="known")}
    {db.in_order()} memory_fact AS row ON row.id = known.value AND row.guild_id = %s AND row.status = 'active'
    LEFT JOIN community_member AS who ON who.id = row.subject_id AND who.guild_id = row.guild_id"""  # noqa: S608
READ = {"fact": 40, "note": 30, "message": 60}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Query:
    """A question, with its embedding where there is an embedder that answers.

    The embedding is moved to where what answers lies; `scale` and `shift` make cosines with it comparable to those of
    the question itself, which the thresholds are about. One question asks for several kinds and scopes:
    `counted` keeps what was counted of its words, `at_need` how near facts are that nobody had embedded.
    """

    text: str
    embedding: vectors.Vector | None = None
    model: str = ""
    thresholds: Thresholds | None = None
    scale: float = 1.0
    shift: float = 0.0
    counted: keywords.Counted = field(default_factory=keywords.Counted)
    at_need: dict[int, float] = field(default_factory=dict)

    def as_asked(self, cosine: float) -> float:
        """Return a cosine with the embedding as one that the thresholds are about."""
        return self.scale * cosine + self.shift


class Asked(NamedTuple):
    """Rows of a kind in a scope; `further` looks that many times as far, for a caller who will leave rows out."""

    kind: str
    scope: Scope
    further: int = 1


class Hit(NamedTuple):
    """What the indexes say of one row: the cosine (None: not embedded), the score of its words, and both as a score."""

    cosine: float | None
    words: float
    score: float = 0.0


def embedded_query(text: str, kinds: Iterable[str] = KINDS) -> Query:
    """Return the question with its embedding; when the embedder fails, recall goes on by words.

    `kinds` are those that the indexes are asked for.
    """
    counted = keywords.Counted(kinds=sorted(kinds))
    model = embedder()
    if model is None or len(text.strip()) < SHORTEST:
        return Query(text=text, counted=counted)
    try:
        embedding = model.query(text)
    except ModelFailed as failure:
        logger.warning("recall by words only, the embedder failed: %s", failure.reason)
        return Query(text=text, counted=counted)
    scale, shift = 1.0, 0.0
    if adapter := question_adapter(model.identity):
        moved = adapter.moved(embedding)
        scale, shift = float(moved @ moved) ** 0.5, adapter.shift
        embedding = moved / scale
    return Query(
        text=text, embedding=embedding, model=model.identity, thresholds=model.thresholds, scale=scale, shift=shift,
        counted=counted,
    )  # fmt: skip


def retrieve_all(query: Query, asked: Sequence[Asked]) -> list[dict[int, Hit]]:
    """Return for each what either index finds, best first; each index is asked for all of them at once."""
    by_words = [keywords.Asked(each.kind, query.text, each.scope, BY_WORDS[each.kind] * each.further) for each in asked]
    all_words = [dict(found) for found in keywords.search_all(by_words, counted=query.counted)]
    all_cosines: list[dict[int, float]] = [{} for _ in asked]
    if query.embedding is not None:
        by_meaning = [
            vectors.Sought(each.kind, each.scope, _by_meaning(each, by_words=len(words)), words.keys())
            for each, words in zip(asked, all_words, strict=True)
        ]
        nearest = vectors.search_all(by_meaning, model=query.model, embedding=query.embedding)
        all_cosines = [{pk: query.as_asked(cosine) for pk, cosine in found} for found in nearest]
        for each, words, cosines in zip(asked, all_words, all_cosines, strict=True):
            if each.kind == "fact":
                cosines |= _embed_now(query, [pk for pk in words if pk not in cosines][:AT_NEED], each.scope.guild)
    return [
        _best(query, words, cosines, READ[each.kind] * each.further)
        for each, words, cosines in zip(asked, all_words, all_cosines, strict=True)
    ]


def _by_meaning(asked: Asked, *, by_words: int) -> int:
    return max(BY_MEANING[asked.kind] * asked.further, IN_ALL[asked.kind] - by_words)


def _best(query: Query, words: dict[int, float], cosines: dict[int, float], most: int) -> dict[int, Hit]:
    """Return the best, by the part of the ranking's score that is known before a row is read."""
    best, semantic, lexical = max(words.values(), default=1.0), WEIGHTS["semantic"], WEIGHTS["lexical"]
    shares = {pk: score / best for pk, score in words.items()}
    scores = {pk: semantic * share + lexical * share for pk, share in shares.items()}  # not embedded: as its words
    if query.thresholds:
        scaled, share_of = query.thresholds.scaled, shares.get
        scores |= {pk: semantic * scaled(cosine) + lexical * share_of(pk, 0.0) for pk, cosine in cosines.items()}
    ranked = sorted(zip(map(neg, scores.values()), scores, strict=True))[:most]
    return {pk: Hit(cosines.get(pk), words.get(pk, 0.0), -negative) for negative, pk in ranked}


def _embed_now(query: Query, ids: list[int], guild: int) -> dict[int, float]:
    """Return the cosines of facts that the background has not embedded yet; nothing is stored, since recall reads."""
    lacking = [pk for pk in ids if pk not in query.at_need]
    model = embedder() if lacking else None
    if model is not None and query.embedding is not None and model.identity == query.model:
        facts = db.select(NEW, [db.id_list(lacking), guild])
        try:
            with event_loop.within(AT_NEED_SECONDS):
                embeddings = model.passages([with_name(name or "", text) for _, text, name in facts])
        except ModelFailed as failure:
            logger.warning("new facts are compared by words only, the embedder failed: %s", failure.reason)
        else:
            for (pk, *_), embedding in zip(facts, embeddings, strict=True):
                query.at_need[pk] = query.as_asked(float(embedding @ query.embedding))
    return {pk: query.at_need[pk] for pk in ids if pk in query.at_need}
