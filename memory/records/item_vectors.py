"""Embeds what agents keep: when it is put, and in the background where that failed or the embedder is another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Q, QuerySet

from memory.models import AgentItem
from memoryhub import db
from memoryhub.ai import ModelFailed, embedder

BATCH = 32  # a fifth of a second of the embedded embedder


def words(value: Any) -> Iterator[str]:
    """Yield the texts in a value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from words(part)


def found_by(value: Mapping[str, Any], text: str | None) -> str:
    """Return what an item is found by: its text, or all words of its value."""
    return " ".join(words(value)) if text is None else text


def meaning(text: str) -> tuple[bytes, str]:
    """Return the vector of a text and whose it is; no vector for no text, and nobody's while no embedder answers."""
    model = embedder()
    if model is None:
        return b"", ""
    try:
        return (_packed(model.passages([text])[0]) if text.strip() else b""), model.identity
    except ModelFailed:
        return b"", ""


def lacking() -> QuerySet[AgentItem]:
    """Return the items that the current embedder has not looked at."""
    model = embedder()
    if model is None:
        return AgentItem.objects.none()
    # As two ranges an index finds them; as "not equal" every item would be read.
    return AgentItem.objects.filter(Q(embedder__lt=model.identity) | Q(embedder__gt=model.identity))


def embed_missing(
    limit: int, progress: Callable[[int], None] = lambda _done: None, *, keep_going: Callable[[], bool] = lambda: True
) -> int:
    """Embed up to `limit` items that the current embedder has not looked at, while told to go on; return how many were.

    For the background: no transaction is open while the embedder works. Raises ModelFailed.
    """
    ids, done = list(lacking().order_by("-pk").values_list("pk", flat=True)[:limit]), 0
    for start in takewhile(lambda _: keep_going(), range(0, len(ids), BATCH)):
        done += _embed(ids[start : start + BATCH])
        progress(done)
    return done


def _embed(ids: list[int]) -> int:
    """Embed these items; return how many were still the same when that was done."""
    model = embedder()
    if model is None:
        return 0
    rows = list(AgentItem.objects.filter(pk__in=ids).order_by("pk"))
    texts = {row.pk: found_by(row.value, row.text) for row in rows}
    told = {pk: text for pk, text in texts.items() if text.strip()}
    vectors = dict(zip(told, map(_packed, model.passages(list(told.values()))), strict=True)) if told else {}
    done = 0
    with transaction.atomic():
        for guild in sorted({row.guild_id for row in rows}):
            db.lock_guild(guild)
        for row in rows:
            same = AgentItem.objects.filter(pk=row.pk, guild=row.guild_id, updated_at=row.updated_at)
            done += same.update(vector=vectors.get(row.pk, b""), embedder=model.identity)
    return done


def _packed(vector: Any) -> bytes:
    return np.asarray(vector).astype(np.float16).tobytes()
