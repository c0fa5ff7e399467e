"""Embeds facts, notes and messages for the vector index: in the background, or a few for who needs them now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from django.db import transaction

from memory.index import embedded_to
from memory.index.documents import KINDS
from memoryhub import db
from memoryhub.ai import Embedder, embedder
from memoryhub.search import vectors

BATCH = 32  # a fifth of a second of the embedded embedder
EMBEDDED_AT_NEED = 8


def embed_missing(limit: int) -> int:
    """Embed up to `limit` rows that have no vector of the current embedder; return how many were.

    Facts come before notes, and these before messages; of each the newest first. For the background: no
    transaction is open while the embedder works. Raises ModelFailed.
    """
    return _embed_missing(limit)[0]


def embed_all_missing(limit: int, *, keep_going: Callable[[], bool]) -> bool:
    """Do the same, while told to go on; True if nothing was left without a vector."""
    done, missing = _embed_missing(limit, keep_going)
    return done == missing


def _embed_missing(limit: int, keep_going: Callable[[], bool] = lambda: True) -> tuple[int, int]:
    """Return how many were embedded, and how many had to be."""
    model = embedder()
    if model is None:
        return 0, 0
    done = wanted = 0
    for kind in KINDS:
        found, before = embedded_to.missing(kind, model=model.identity), done
        for block in takewhile(lambda _: keep_going(), blocks(found.ids[::-1][: limit - done], BATCH)):
            done += embed(kind, block, model)
        if done > before:
            vectors.tend(kind=kind, model=model.identity)
        if done - before == len(found.ids):
            embedded_to.all_embedded(found)
        wanted += len(found.ids)
    return done, wanted


def embed_facts(ids: Sequence[int]) -> int:
    """Embed up to eight of these facts that have no vector yet, for somebody who needs them now; return how many.

    No transaction may be open. Raises ModelFailed.
    """
    model = embedder()
    if model is None or not ids:
        return 0
    embedded = vectors.get(kind="fact", model=model.identity, ids=ids)
    missing = [pk for pk in ids if pk not in embedded][:EMBEDDED_AT_NEED]
    return embed("fact", missing, model) if missing else 0


def are_missing() -> bool:
    """Say whether something has no vector of the current embedder."""
    model = embedder()
    return model is not None and any(embedded_to.missing(kind, model=model.identity).ids for kind in KINDS)


def embed(name: str, ids: Sequence[int], model: Embedder) -> int:
    """Embed these rows of a kind and store the vectors; return how many were still the same when that was done."""
    kind, passage = KINDS[name], KINDS[name].passage
    found = list(kind.rows().filter(pk__in=ids))
    before = {row.pk: passage(row) for row in found}
    embeddings = dict(zip(before, model.passages(list(before.values())), strict=True))
    with transaction.atomic():
        for guild in sorted({row.guild_id for row in found}):
            db.lock_guild(guild)
        # Read again: what changed or went while the embedder worked must not get the embedding of what it was.
        same = {row.pk: row for row in kind.rows().filter(pk__in=ids) if before.get(row.pk) == passage(row)}
        rows = [
            vectors.VectorRow(
                id=row.id, guild=row.guild, subject=row.subject, audience=row.audience, embedding=embeddings[row.id]
            )
            for row in kind.words(list(same.values()))
            if row.id in same  # words are also those of the message after each
        ]
        vectors.put(kind=name, model=model.identity, rows=rows)
    return len(same)


def blocks(ids: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Yield the ids in blocks of a size."""
    return (ids[start : start + size] for start in range(0, len(ids), size))
