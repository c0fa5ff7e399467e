"""Memories, their histories and the reading of what was added, in the form that mem0's clients expect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from memory.mem0.adding import ToldFact
from memory.mem0.client_data import data_of
from memory.models import ClientData, Fact, FactChange
from memory.recall.results import Memory
from memoryhub import db
from memoryhub.community.models import Channel, Guild

EVENTS = {FactChange.Action.ADD: "ADD", FactChange.Action.ARCHIVE: "DELETE", FactChange.Action.REFUSE: "DELETE"}
"""What a change is called; every other one is an UPDATE."""


# Written out, as recall's own statements are. A run is a direct channel.
BESIDE = f"""SELECT fact.id, fact.kind, fact.updated_at, who.is_bot,
        CASE WHEN place.kind = 'direct' THEN place.platform_id END
    FROM memory_fact AS fact
    LEFT JOIN community_member AS who ON who.id = fact.subject_id AND who.guild_id = fact.guild_id
    LEFT JOIN community_channel AS place ON place.id = fact.channel_id AND place.guild_id = fact.guild_id
    WHERE fact.guild_id = %s AND {db.among("fact.id")}"""  # noqa: S608  nothing in it is a value


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a client is shown of a fact; `about` is a member's or, with `is_bot`, a bot's id, `run` a channel's."""

    pk: int
    text: str
    kind: str
    about: str | None
    is_bot: bool
    run: str | None
    said_at: datetime
    updated_at: datetime
    status: str = "active"
    replaced_by: int | None = None

    @classmethod
    def of(cls, fact: Fact) -> Self:
        """Return a row as it is shown."""
        about, place = fact.subject, fact.channel
        return cls(
            pk=fact.pk, text=fact.text, kind=fact.kind, about=about.platform_id if about else None,
            is_bot=bool(about and about.is_bot), said_at=fact.said_at, updated_at=fact.updated_at, status=fact.status,
            run=place.platform_id if place and place.kind == Channel.Kind.DIRECT else None,
            replaced_by=fact.replaced_by_id,
        )  # fmt: skip


def memories(guild: Guild, rows: Iterable[Fact]) -> list[dict[str, Any]]:
    """Return the facts, with what clients handed over with them."""
    return _with_data(guild, [Shown.of(fact) for fact in rows])


def _with_data(guild: Guild, shown: Sequence[Shown]) -> list[dict[str, Any]]:
    known = data_of(guild, [each.pk for each in shown])
    return [_memory(each, known.get(each.pk)) for each in shown]


def _memory(fact: Shown, data: ClientData | None) -> dict[str, Any]:
    return {
        "id": str(fact.pk),
        "memory": fact.text,
        "user_id": None if fact.is_bot else fact.about,
        "agent_id": (data.agent_id if data else "") or (fact.about if fact.is_bot else None),
        "app_id": (data.app_id if data else "") or None,
        "run_id": fact.run,
        "session_id": fact.run,
        "metadata": data.metadata if data else {},
        "categories": (data.categories if data else []) or [fact.kind],
        "expiration_date": data.expires_on.isoformat() if data and data.expires_on else None,
        "created_at": fact.said_at,
        "updated_at": fact.updated_at,
        "lifecycle_state": fact.status,
        "replaced_by": str(fact.replaced_by) if fact.replaced_by else None,
        "structured_attributes": None,
        "synthesized": False,
    }


def ranked(guild: Guild, found: Sequence[Memory]) -> list[dict[str, Any]]:
    """Return what a search found, best first, with the score and its parts."""
    beside = {pk: rest for pk, *rest in db.select(BESIDE, [guild.pk, db.id_list(int(each.id) for each in found)])}
    there = [memory for memory in found if memory.id in beside]
    shown = [
        Shown(
            pk=int(memory.id), text=memory.text, kind=kind, about=memory.member_id, is_bot=bool(is_bot), run=run,
            said_at=memory.created_at, updated_at=updated_at,
        )
        for memory in there for kind, updated_at, is_bot, run in [beside[memory.id]]
    ]  # fmt: skip
    return [
        {**row, "score": min(1.0, max(0.0, memory.score)), "score_breakdown": _parts(memory)}
        for row, memory in zip(_with_data(guild, shown), there, strict=True)
    ]


def _parts(memory: Memory) -> dict[str, float]:
    """Return all parts of the score, three of them by mem0's names too."""
    scores = memory.scores
    theirs = {"bm25": scores.get("lexical", 0.0), "entity": scores.get("named", 0.0)}
    return {"semantic": 0.0, **theirs, **scores}


def told(event: UUID, facts: Iterable[ToldFact]) -> dict[str, Any]:
    """Return what words became that were kept as they are."""
    results = [
        {
            "id": str(each.fact.pk), "memory": each.fact.text, "data": {"memory": each.fact.text},
            "event": "ADD" if each.new else "UPDATE",
        }
        for each in facts
    ]  # fmt: skip
    return {"message": "Kept.", "status": "SUCCEEDED", "event_id": str(event), "results": results}


def learning(event: UUID) -> dict[str, Any]:
    """Return that a talk was stored and will be read."""
    message = "Stored. What is in it is learned in the background; ask /v1/event/{id}/ for what came of it."
    return {"message": message, "status": "PENDING", "event_id": str(event)}


def event(rows: Sequence[ClientData], facts: Sequence[Fact]) -> dict[str, Any]:
    """Return how far the reading of one call is, and what was learned by it so far."""
    messages = [row.message for row in rows if row.message]
    parked = any(message.parked_at for message in messages)
    unread = any(message.processed_at is None and message.deleted_at is None for message in messages)
    first = min(rows, key=lambda row: row.pk)
    return {
        "id": str(first.event),
        "event_type": "ADD",
        "status": "FAILED" if parked else "PENDING" if unread else "SUCCEEDED",
        "payload": {},
        "results": [{"id": str(fact.pk), "data": {"memory": fact.text}, "event": "ADD"} for fact in facts],
        "error": "It could not be read; the operator of the hub finds it parked." if parked else None,
        "created_at": first.at,
        "updated_at": max(row.at for row in rows),
    }


def history(fact: Fact, changes: Sequence[FactChange], sources: Sequence[str]) -> list[dict[str, Any]]:
    """Return the changes of a fact, the oldest first, each with the words before and after it."""
    data = data_of(fact.guild, [fact.pk]).get(fact.pk)
    before = [change.before.get("text") for change in changes]
    after = [*before[1:], fact.text]
    return [
        {
            "id": str(change.pk), "memory_id": str(fact.pk), "input": [{"role": "user", "content": s} for s in sources],
            "old_memory": old, "new_memory": new, "user_id": fact.subject.platform_id if fact.subject else None,
            "event": EVENTS.get(FactChange.Action(change.action), "UPDATE"), "metadata": data.metadata if data else {},
            "categories": (data.categories if data else []) or [fact.kind],
            "created_at": change.at, "updated_at": change.at,
        }
        for change, old, new in zip(changes, before, after, strict=True)
    ]  # fmt: skip
