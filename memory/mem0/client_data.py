"""What clients handed over beside words: looked up for facts, changed, and when it ends."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory.mem0.filters import with_data
from memory.models import ClientData, Evidence, Fact
from memoryhub.community.models import Guild

COPIED = ("event", "agent_id", "app_id", "metadata", "categories", "expires_on")


def data_of(guild: Guild, facts: Collection[int]) -> dict[int, ClientData]:
    """Return by fact what was told of it, else what came with the newest message that it was learned from."""
    rows = ClientData.objects.of(guild)
    own = {row.fact_id: row for row in rows.filter(fact__in=facts) if row.fact_id}
    if not (left := set(facts) - own.keys()):
        return own
    cited = Evidence.objects.filter(guild=guild, fact__in=left, message__client_data__isnull=False)
    found = dict(cited.order_by("said_at", "pk").values_list("fact_id", "message__client_data"))
    by_id = rows.in_bulk(set(found.values())) if found else {}
    return own | {fact: by_id[row] for fact, row in found.items()}


def keep(fact: Fact, *, now: datetime, **values: Any) -> ClientData:
    """Keep these values with the fact itself; what came with its messages stays theirs and is taken over."""
    row = data_of(fact.guild, [fact.pk]).get(fact.pk)
    former = {name: getattr(row, name) for name in COPIED} if row else {"event": UUID(int=0)}
    fields = {**former, **values}
    kept, _ = ClientData.objects.update_or_create(
        fact=fact, guild=fact.guild, defaults=fields, create_defaults={**fields, "at": now}
    )
    return kept


def expired(now: datetime) -> Q:
    """Return the condition that a fact's last day is over."""
    return with_data(Q(expires_on__lt=now.date()))


def any_expired(guild: Guild, *, now: datetime) -> bool:
    """Say whether anything of the guild's has ended, so that a search has to look for it."""
    return ClientData.objects.of(guild).filter(expires_on__lt=now.date()).exists()
