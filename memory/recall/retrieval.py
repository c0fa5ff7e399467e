"""Retrieves candidates for a question by words and by meaning, each index searched inside the scope."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from memory.index.documents import with_name
from memory.recall.ranking import WEIGHTS
from memoryhub import db
from memoryhub.ai import ModelFailed, Thresholds, embedder, event_loop
from memoryhub.search import keywords, vectors
from memoryhub.search.scope import Scope

logger = logging.getLogger(__name__)

KINDS = ("fact", "note", "message")
SHORTEST = 3  # characters of a question that are worth an embedding

# How many each index looks for, and how many of both together are read from their tables. The cost of a search by
# meaning grows with its limit, in a guild of 100,000 facts by two milliseconds for each.
BY_WORDS = {"fact": 60, "note": 30, "message": 60}
BY_MEANING = {"fact": 12, "note": 16, "message": 24}
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

    One question asks for several kinds and scopes: `counted` keeps what was counted of its words, `at_need` how near
    facts are that nobody had embedded.
    """

    text: str
    embedding: vectors.Vector | None = None
    model: str = ""
    thresholds: Thresholds | None = None
    counted: keywords.Counted = field(default_factory=keywords.Counted)
    at_need: dict[int, float] = field(default_factory=dict)


class Hit(NamedTuple):
    """What the indexes say of one row: the cosine (None: not embedded), the score of its words, and both as a score."""

    cosine: float | None
    words: float
    score: float = 0.0


def embedded_query(text: str, kinds: Iterable[str] = KINDS) -> Query:
    """Return the question with its embedding; when the embedder fails, recall goes on by words.

    `kinds` are those that are asked: for each, the notes are asked too.
    """
    counted = keywords.Counted(kinds=sorted({*kinds, "note"}))
    model = embedder()
    if model is None or len(text.strip()) < SHORTEST:
        return Query(text=text, counted=counted)
    try:
        embedding = model.query(text)
    except ModelFailed as failure:
        logger.warning("recall by words only, the embedder failed: %s", failure.reason)
        return Query(text=text, counted=counted)
    return Query(
        text=text, embedding=embedding, model=model.identity, thresholds=model.thresholds, counted=counted
    )  # fmt: skip


def retrieve(query: Query, *, kind: str, scope: Scope, further: int = 1) -> dict[int, Hit]:
    """Return the best rows that either index finds, best first.

    `further` looks that many times as far, for a caller who will leave rows out.
    """
    limit = BY_WORDS[kind] * further
    words = dict(keywords.search(kind=kind, query=query.text, scope=scope, limit=limit, counted=query.counted))
    cosines: dict[int, float] = {}
    if query.embedding is not None:
        limit = BY_MEANING[kind] * further
        nearest = vectors.search(
            kind=kind, model=query.model, embedding=query.embedding, scope=scope, limit=limit, also=words.keys()
        )
        cosines = dict(nearest)
        if kind == "fact":
            cosines |= _embed_now(query, [pk for pk in words if pk not in cosines][:AT_NEED], scope.guild)
    best, thresholds, ranked = max(words.values(), default=1.0), query.thresholds, []
    for pk in words.keys() | cosines.keys():  # the part of the ranking's score that is known before a row is read
        share, cosine = words.get(pk, 0.0) / best, cosines.get(pk)
        likeness = share if cosine is None or thresholds is None else thresholds.scaled(cosine)
        ranked.append((-(WEIGHTS["semantic"] * likeness + WEIGHTS["lexical"] * share), pk))
    ranked = sorted(ranked)[: READ[kind] * further]
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
            found = zip(facts, embeddings, strict=True)
            query.at_need.update((pk, float(embedding @ query.embedding)) for (pk, *_), embedding in found)
    return {pk: query.at_need[pk] for pk in ids if pk in query.at_need}
