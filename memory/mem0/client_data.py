"""What clients handed over beside words: looked up for facts, changed, and when it ends."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory.mem0.filter_grammar import with_data
from memory.models import ClientData, Fact
from memoryhub import db
from memoryhub.community.models import Guild

# Written out, since every search runs them: Django makes such a query anew at many times its cost.
# ruff: noqa: S608  (every piece of a statement is written in this file; every value is a parameter)
BY_ID = f"WHERE guild_id = %s AND {db.among('id')}"
OF_FACTS = f"WHERE guild_id = %s AND {db.among('fact_id')}"
OF_MESSAGES = f"""SELECT cited.fact_id, data.id FROM memory_evidence AS cited
    JOIN memory_clientdata AS data ON data.message_id = cited.message_id AND data.guild_id = cited.guild_id
    WHERE cited.guild_id = %s AND {db.among("cited.fact_id")} ORDER BY cited.said_at, cited.id"""
ENDED = "SELECT 1 FROM memory_clientdata WHERE guild_id = %s AND expires_on < %s LIMIT 1"

COPIED = ("event", "agent_id", "app_id", "metadata", "categories", "expires_on")


def data_of(guild: Guild, facts: Collection[int]) -> dict[int, ClientData]:
    """Return by fact what was told of it, else what came with the newest message that it was learned from."""
    own = {row.fact_id: row for row in db.read(ClientData, OF_FACTS, [guild.pk, db.id_list(facts)]) if row.fact_id}
    if not (left := set(facts) - own.keys()):
        return own
    found: dict[int, int] = dict(db.select(OF_MESSAGES, [guild.pk, db.id_list(left)]))
    rows = db.read(ClientData, BY_ID, [guild.pk, db.id_list(found.values())]) if found else []
    by_id = {row.pk: row for row in rows}
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
    return bool(db.select(ENDED, [guild.pk, now.date().isoformat()]))
