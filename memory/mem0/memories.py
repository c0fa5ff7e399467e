"""Routes of mem0's clients for memories: add, search, list, one by its id, its history, many at once."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from ninja import Body, Query, Router

from memory.curation import corrections
from memory.mem0 import adding, answers, client_data, selection
from memory.mem0.filter_grammar import FilterRefused
from memory.mem0.schemas import AddIn, DeleteIn, DeletionsIn, FeedbackIn, ListIn, SearchIn, UpdateIn, UpdatesIn
from memory.mem0.selection import READABLE, fact_of, guild_of
from memory.models import Fact
from memory.records.action_log import log
from memory.withdrawal import withdraw
from memoryhub import db
from memoryhub.common.api_scope import Call
from memoryhub.community.models import Guild
from memoryhub.community.querysets import heard

router = Router()
PAGE, UNPAGED = 100, 1_000  # memories
ONE = "/v1/memories/{fact_id}/"
Json = dict[str, Any]


@router.post("/v3/memories/add/")
def add_memories(request: Call, body: Body[AddIn]) -> Json:
    """Learn from a talk, or keep its words as they are."""
    guild, now = guild_of(request), timezone.now()
    if body.infer:
        return answers.learning(adding.learn(guild, body, now=now))
    return answers.told(*adding.tell(guild, body, actor=request.auth.actor, now=now))


@router.post("/v1/memories/")
def add_memories_v1(request: Call, body: Body[AddIn]) -> Json | list[Any]:
    """Do the same for clients before 2.0."""
    answer = add_memories(request, body)
    results = answer.get("results", [answer])
    newer = body.has("version") == "v2" and body.has("output_format") == "v1.1"
    return {"results": results} if newer else results


@router.get("/v1/memories/")
def list_memories_v1(request: Call, wanted: Query[ListIn]) -> Json | list[Any]:
    """List memories for clients before 1.0: all of them, or a page if one is named."""
    return _listed(request, wanted)


@router.post("/v2/memories/")
def list_memories_v2(request: Call, body: Body[ListIn], window: Query[ListIn]) -> Json | list[Any]:
    """List memories for clients before 2.0."""
    return _listed(request, body, window=window)


@router.post("/v3/memories/")
def list_memories_v3(request: Call, body: Body[ListIn], window: Query[ListIn]) -> Json | list[Any]:
    """List a page of memories, the newest first."""
    return _listed(request, body, window=window, paged=True)


def _listed(request: Call, wanted: ListIn, *, window: ListIn | None = None, paged: bool = False) -> Json | list[Any]:
    guild, where = guild_of(request), window or wanted
    rows = selection.listed(guild, wanted.wanted, now=timezone.now(), show_expired=wanted.show_expired)
    if not paged and not (where.page and where.page_size):
        most = min(wanted.top_k or wanted.limit or UNPAGED, UNPAGED)
        return answers.memories(guild, rows[:most])
    page, size, count = where.page or 1, where.page_size or PAGE, rows.count()
    link = f"{request.path}?page={{}}&page_size={size}"
    return {
        "count": count, "next": link.format(page + 1) if page * size < count else None,
        "previous": link.format(page - 1) if page > 1 else None,
        "results": answers.memories(guild, rows[(page - 1) * size : page * size]),
    }  # fmt: skip


@router.post("/v3/memories/search/")
def search_memories(request: Call, body: Body[SearchIn]) -> Json:
    """Find what answers a question, ranked as the hub ranks it; `top_k` above 24 gives 24."""
    guild = guild_of(request)
    found = selection.found(
        guild, body.wanted, question=body.query, limit=body.limit or body.top_k, now=timezone.now(),
        show_expired=body.show_expired,
    )  # fmt: skip
    found = [memory for memory in found if body.threshold is None or memory.score >= body.threshold]
    shown = answers.ranked(guild, found)
    if body.fields:
        shown = [{name: row[name] for name in ("id", "memory", "score", *body.fields) if name in row} for row in shown]
    return {"results": shown}


@router.post("/v1/memories/search/")
def search_memories_v1(request: Call, body: Body[SearchIn]) -> Json | list[Any]:
    """Do the same for clients before 2.0, which are given a list unless they ask otherwise."""
    answer = search_memories(request, body)
    return answer if body.has("output_format") == "v1.1" else answer["results"]


@router.post("/v2/memories/search/")
def search_memories_v2(request: Call, body: Body[SearchIn]) -> list[Any]:
    """Do the same for clients before 2.0, which are given a list."""
    return list(search_memories(request, body)["results"])


@router.delete("/v1/memories/")
def delete_memories(request: Call, wanted: Query[DeleteIn]) -> Json:
    """Forget all that is selected, in the background what takes long; with nothing named it is refused."""
    guild, now = guild_of(request), timezone.now()
    parts = [part for part in (_written(wanted.filters), wanted.entities) if part]
    metadata = _written(wanted.metadata)
    parts += [{"metadata": metadata}] if metadata else []
    rows = selection.to_forget(guild, parts[0] if len(parts) == 1 else {"AND": parts})
    ids = list(rows.values_list("pk", flat=True))
    left = corrections.forget_all(guild, ids, actor=request.auth.actor, now=now)
    message = f"{len(ids) - left} memories deleted successfully!"
    if left:
        message += f" {left} more are being deleted in the background."
    return {"message": message, "count": len(ids)}


def _written(text: str | None) -> Json:
    """Read what a client put into an address: JSON, or an object as Python writes it."""
    import ast
    import json

    if not text:
        return {}
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    raise FilterRefused("The filters in the address can't be read: write them as JSON.")


@router.get("/v1/memories/{fact_id}/history/")
def show_memory_history(request: Call, fact_id: str) -> list[Any]:
    """Show what happened to a memory, the oldest change first."""
    guild = guild_of(request)
    fact = fact_of(guild, fact_id)
    quotes = [row.quote for row in fact.evidence.filter(heard(guild, "speaker")) if row.quote]
    return answers.history(fact, list(fact.changes.order_by("pk")), quotes)


@router.get(ONE)
def show_one_memory(request: Call, fact_id: str) -> Json:
    """Show one memory, also when it has ended."""
    guild = guild_of(request)
    return answers.memories(guild, [fact_of(guild, fact_id)])[0]


@router.put(ONE)
def update_memory(request: Call, fact_id: str, body: Body[UpdateIn]) -> Json:
    """Change a memory's words, or what is kept beside them."""
    guild = guild_of(request)
    fact = change(guild, fact_id, body, actor=request.auth.actor, now=timezone.now())
    return answers.memories(guild, [fact])[0]


@router.delete(ONE)
def delete_one_memory(request: Call, fact_id: str, delete_linked: bool = False) -> Json:  # noqa: FBT001, FBT002
    """Forget a memory for good; memories are not linked here, so nothing goes with it."""
    forget(guild_of(request), [fact_id], actor=request.auth.actor)
    return {"message": "Memory deleted successfully!"} | ({"cascade_count": 0} if delete_linked else {})


@router.put("/v1/batch/")
def update_many(request: Call, body: Body[UpdatesIn]) -> Json:
    """Change many memories, all of them or none."""
    guild, now = guild_of(request), timezone.now()
    for each in body.memories:
        if each.text is not None:
            corrections.validated_text(each.text, guild)  # before the lock
    with transaction.atomic():
        db.lock_guild(guild.pk)
        for each in body.memories:
            change(guild, each.memory_id, each, actor=request.auth.actor, now=now)
    return {"message": f"Successfully updated {len(body.memories)} memories"}


@router.delete("/v1/batch/")
def delete_many(request: Call, body: Body[DeletionsIn]) -> Json:
    """Forget many memories, all of them or none."""
    forget(guild_of(request), [each.memory_id for each in body.memories], actor=request.auth.actor)
    return {"message": f"Successfully deleted {len(body.memories)} memories"}


@router.post("/v1/feedback/")
def give_feedback(request: Call, body: Body[FeedbackIn]) -> Json:
    """Note in the action log what somebody thinks of a memory; the reason is not kept, as logs hold no words."""
    guild = guild_of(request)
    fact = fact_of(guild, body.memory_id)
    now, actor = timezone.now(), request.auth.actor
    log("memory_feedback", guild=guild, actor=actor, now=now, fact=fact.pk, feedback=body.feedback)
    return {"id": str(fact.pk), "feedback": body.feedback, "feedback_reason": None}


def change(guild: Guild, memory_id: str, body: UpdateIn, *, actor: str, now: datetime) -> Fact:
    """Change what is given of a believed memory; raises Http404, FactRefused, FactConflict."""
    fact = fact_of(guild, memory_id, statuses=(Fact.Status.ACTIVE,))
    if body.text is not None:
        corrections.correct(fact, actor=actor, now=now, text=body.text)
    sent = {"metadata": body.metadata or {}, "expires_on": body.expiration_date}
    given = {"metadata": "metadata", "expires_on": "expiration_date"}
    if values := {name: value for name, value in sent.items() if given[name] in body.model_fields_set}:
        client_data.keep(fact, now=now, **values)
    return fact


@transaction.atomic
def forget(guild: Guild, memory_ids: list[str], *, actor: str) -> None:
    """Forget these memories, all of them or, where one is not there, none."""
    db.lock_guild(guild.pk)
    for memory_id in dict.fromkeys(memory_ids):
        withdraw.forget_fact(fact_of(guild, memory_id, statuses=READABLE), actor=actor, now=timezone.now())
