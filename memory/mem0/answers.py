"""Memories, their histories and the reading of what was added, in the form that mem0's clients expect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from memory.mem0.adding import Told
from memory.mem0.client_data import data_of
from memory.models import ClientData, Fact, FactChange
from memory.recall.results import Memory
from memoryhub.community.models import Channel, Guild

EVENTS = {FactChange.Action.ADD: "ADD", FactChange.Action.ARCHIVE: "DELETE", FactChange.Action.REFUSE: "DELETE"}
"""What a change is called; every other one is an UPDATE."""


def memories(guild: Guild, rows: Iterable[Fact]) -> list[dict[str, Any]]:
    """Return the facts, with what clients handed over with them."""
    facts = list(rows)
    known = data_of(guild, [fact.pk for fact in facts])
    return [_memory(fact, known.get(fact.pk)) for fact in facts]


def _memory(fact: Fact, data: ClientData | None) -> dict[str, Any]:
    about = fact.subject.platform_id if fact.subject else None
    is_bot = bool(fact.subject and fact.subject.is_bot)
    run = fact.channel.platform_id if fact.channel and fact.channel.kind == Channel.Kind.DIRECT else None
    return {
        "id": str(fact.pk),
        "memory": fact.text,
        "user_id": None if is_bot else about,
        "agent_id": (data.agent_id if data else "") or (about if is_bot else None),
        "app_id": (data.app_id if data else "") or None,
        "run_id": run,
        "session_id": run,
        "metadata": data.metadata if data else {},
        "categories": (data.categories if data else []) or [fact.kind],
        "expiration_date": data.expires_on.isoformat() if data and data.expires_on else None,
        "created_at": fact.said_at,
        "updated_at": fact.updated_at,
        "lifecycle_state": fact.status,
        "replaced_by": str(fact.replaced_by_id) if fact.replaced_by_id else None,
        "structured_attributes": None,
        "synthesized": False,
    }


def ranked(guild: Guild, found: Sequence[Memory], facts: dict[int, Fact]) -> list[dict[str, Any]]:
    """Return what a search found, best first, with the score and its parts."""
    there = [memory for memory in found if int(memory.id) in facts]
    shown = memories(guild, [facts[int(memory.id)] for memory in there])
    return [
        {
            **row,
            "score": min(1.0, max(0.0, memory.score)),
            "score_breakdown": {
                "semantic": memory.scores.get("semantic", 0.0), "bm25": memory.scores.get("lexical", 0.0),
                "entity": memory.scores.get("named", 0.0), **memory.scores,
            },
        }
        for row, memory in zip(shown, there, strict=True)
    ]  # fmt: skip


def told(event: UUID, facts: Iterable[Told]) -> dict[str, Any]:
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
        "error": "It could not be read; who runs the hub finds it parked." if parked else None,
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
