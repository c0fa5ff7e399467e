"""Knows up to which row all of a guild's are embedded: the minute's chores look at newer rows and at changed ones only.

Ids grow in the order in which a guild's rows are committed, since who writes holds the guild's lock. A change of an
older row begins anew from it, and once a day all are compared, in case somebody wrote past these rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, NamedTuple

from django.db.models import F, Max, QuerySet
from django.db.models.functions import Least
from django.utils import timezone

from memory.index.documents import KINDS
from memory.models import EmbeddedTo
from memoryhub.db import guild_scope
from memoryhub.search import vectors

COMPARED_EVERY = timedelta(days=1)


class Missing(NamedTuple):
    """Ids of rows without an embedding, oldest first, and what `all_embedded` needs once none of them is left."""

    ids: list[int]
    since: EmbeddedTo | None = None
    newest: int = 0
    whole: bool = True


def missing(kind: str, *, model: str) -> Missing:
    """Return the rows of a kind without an embedding of this model; in a guild only the newer and changed are asked."""
    guild, rows = guild_scope.current(), KINDS[kind].rows().order_by()
    if guild is None:
        return Missing(_lacking(rows, kind, model))
    since, _ = EmbeddedTo.objects.get_or_create(guild_id=guild, kind=kind, set_name=vectors.table_of(kind, model))
    whole = since.compared_at is None or timezone.now() - since.compared_at > COMPARED_EVERY
    # Of all rows a guild's own are read by its index; of a day's new ones SQLite passes over those of others.
    asked = rows.filter(guild=guild) if whole else rows.filter(pk__gt=since.reached)
    newest = asked.aggregate(newest=Max("pk"))["newest"]
    return Missing(_lacking(asked, kind, model) if newest else [], since, newest or since.reached, whole)


def all_embedded(found: Missing) -> None:
    """Remember that nothing of what was found is missing any more, unless something has changed meanwhile."""
    since = found.since
    if since is None or not (found.whole or found.newest > since.reached):
        return
    since.reached, since.compared_at = found.newest, timezone.now() if found.whole else since.compared_at
    same = EmbeddedTo.objects.filter(pk=since.pk, guild=since.guild_id, changes=since.changes)
    same.update(reached=since.reached, compared_at=since.compared_at)


def begin_anew(kind: str, ids: Iterable[int], *, guild: int) -> None:
    """Have these rows looked at again, whose embeddings were forgotten: in the transaction that changes them."""
    if first := min(ids, default=0):
        changed = EmbeddedTo.objects.filter(guild=guild, kind=kind)
        changed.update(reached=Least("reached", first - 1), changes=F("changes") + 1)


def _lacking(rows: QuerySet[Any], kind: str, model: str) -> list[int]:
    sql, params = rows.values("guild_id", "pk").query.sql_with_params()
    return vectors.lacking(sql, params, kind=kind, model=model)
