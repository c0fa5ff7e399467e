"""What lies near in meaning: the facts to compare a new one with, and the embeddings that topics are made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from memory.facts.proposal import Proposal
from memory.index import embeddings
from memory.index.documents import fact_text
from memory.models import Fact
from memoryhub import db
from memoryhub.ai import embedder
from memoryhub.search import keywords, vectors
from memoryhub.search.scope import NOBODY, WHOLE_GUILD, Scope

LATELY = 24  # of a subject's newest facts that may have no vector yet

# Written out, since every new fact asks it: the index that keeps facts unique answers without a look at their rows.
# ruff: noqa: S608  (the table's name is the model's; every value is a parameter)
KNOWN = f"""SELECT id, normalized FROM {Fact._meta.db_table} INDEXED BY one_active_fact_per_statement
    WHERE guild_id = %s AND COALESCE(subject_id, 0) = %s AND COALESCE(audience_id, 0) = %s AND status = 'active'"""
NEWEST = f"""SELECT id, text, normalized FROM {Fact._meta.db_table} WHERE id IN (SELECT value FROM json_each(%s))
    ORDER BY said_at DESC, id DESC LIMIT %s"""


def known_facts(proposal: Proposal) -> dict[int, str]:
    """Return the normalized texts of what is believed of the same subject in the same audience, by row id."""
    subject = proposal.subject.pk if proposal.subject else 0
    return dict(db.select(KNOWN, [proposal.guild.pk, subject, proposal.audience_id or 0]))


def newest(ids: Iterable[int], *, limit: int) -> list[tuple[int, str, str]]:
    """Return row id, text and normalized text of the newest of the facts, newest first."""
    return cast("list[tuple[int, str, str]]", db.select(NEWEST, [db.id_list(ids), limit]))


def nearest_facts(proposal: Proposal, *, limit: int) -> list[int]:
    """Return row ids of the same subject's nearest facts in the same audience, near enough to mean the same thing.

    Without an embedder, the facts that share most words. Raises ModelFailed.
    """
    scope = Scope(
        guild=proposal.guild.pk,
        audiences=[proposal.audience_id or WHOLE_GUILD],
        subjects=[proposal.subject.pk if proposal.subject else NOBODY],
    )
    model = embedder()
    if model is None:
        return [match.id for match in keywords.search(kind="fact", query=proposal.text, scope=scope, limit=limit)]
    # What was learned a moment ago has no vector yet, and may be the very thing that is contradicted now.
    embeddings.embed_facts(sorted(known_facts(proposal))[-LATELY:])
    passage = model.passages([fact_text(proposal.fact())])[0]
    found = vectors.search(kind="fact", model=model.identity, embedding=passage, scope=scope, limit=limit)
    return [match.id for match in found if match.score > model.thresholds.same]


def embeddings_of_notes(ids: Iterable[int]) -> dict[int, list[float]]:
    """Return the embeddings that are held of these notes; empty without an embedder."""
    model = embedder()
    if model is None:
        return {}
    found = vectors.get(kind="note", model=model.identity, ids=list(ids))
    return {pk: embedding.tolist() for pk, embedding in found.items()}
