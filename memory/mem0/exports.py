"""Routes of mem0's clients for exports, and for what became of what they added."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core import signing
from django.http import Http404
from django.utils import timezone
from ninja import Body, Router, Status

from memory.mem0 import answers, filter_grammar, selection
from memory.mem0.schemas import ExportIn
from memory.mem0.selection import guild_of
from memory.models import ClientData, Fact
from memoryhub.common.api_scope import Call
from memoryhub.community.models import Guild
from notes.models import Message

router = Router()
Json = dict[str, Any]
SALT = "memoryhub.mem0.export"
MOST, EVENTS = 10_000, 100
READY = "The export is ready. It holds the memories as they are: the schema is not filled in."


@router.post("/v1/exports/", response={201: Any})
def create_memory_export(request: Call, body: Body[ExportIn]) -> Status[Json]:
    """Hand out an id by which the export can be had; it names the filters, and nothing is kept here."""
    guild = guild_of(request)
    filter_grammar.parse(body.wanted)
    token = signing.dumps([guild.pk, body.wanted], salt=SALT, compress=True)
    return Status(201, {"message": READY, "id": token})


@router.post("/v1/exports/get/")
def get_memory_export(request: Call, body: Body[ExportIn]) -> Json:
    """Hand out the memories that the export's filters select now."""
    guild, wanted = guild_of(request), body.wanted
    if body.memory_export_id:
        try:
            owner, wanted = signing.loads(body.memory_export_id, salt=SALT)
        except (signing.BadSignature, ValueError, TypeError):
            owner = None
        if owner != guild.pk:
            raise Http404("There is no such export.")
    rows = selection.listed(guild, wanted, now=timezone.now(), show_expired=False)
    return {"memories": answers.memories(guild, rows[:MOST]), "count": rows.count()}


@router.get("/v1/event/{event_id}/")
def show_event(request: Call, event_id: UUID) -> Json:
    """Show how far the reading of what was added is, and what was learned."""
    guild = guild_of(request)
    rows = list(ClientData.objects.of(guild).filter(event=event_id).select_related("message"))
    if not rows:
        raise Http404("There is no such event.")
    return answers.event(rows, _facts_by_event(guild, rows))


@router.get("/v1/events/")
def list_events(request: Call) -> Json:
    """List what was added lately, the newest first."""
    guild = guild_of(request)
    newest = ClientData.objects.of(guild).select_related("message").order_by("-pk")[: EVENTS * 5]
    by_event: dict[UUID, list[ClientData]] = {}
    for row in newest:
        by_event.setdefault(row.event, []).append(row)
    shown = list(by_event.values())[:EVENTS]
    results = [answers.event(rows, []) for rows in shown]
    return {"count": len(results), "next": None, "previous": None, "results": results}


@router.get("/v1/stats/")
def count_memories(request: Call) -> Json:
    """Count what is known."""
    guild = guild_of(request)
    memories = Fact.objects.of(guild).active().count()
    return {"total_memories": memories, "total_messages": Message.objects.of(guild).said().count()}


def _facts_by_event(guild: Guild, rows: list[ClientData]) -> list[Fact]:
    kept = [row.fact_id for row in rows if row.fact_id]
    messages = [row.message_id for row in rows if row.message_id]
    learned = Fact.objects.of(guild).active().filter(evidence__message__in=messages)
    ids = {*kept, *learned.values_list("pk", flat=True)}
    return list(selection.told(guild).filter(pk__in=ids, status__in=selection.READABLE))
