"""Routes kept from the designs that memoryhub joins: a snapshot, a search, a list of memories (docs/origins.md)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from django.http import Http404
from django.utils import timezone
from ninja import Query, Router, Status
from pydantic import AfterValidator, BaseModel, Field

from memory.api.schemas.facts import FactOut
from memory.api.schemas.search import LONGEST_QUESTION, MOST_RESULTS, Found
from memory.curation.browse import with_evidence
from memory.models import Fact
from memory.recall import search
from memory.records import snapshots
from memory.withdrawal import withdraw
from memoryhub.common.api_scope import Call, Caller, PathRowId, channel_of, one
from memoryhub.common.pagination import Window, page
from memoryhub.common.schemas import via
from memoryhub.community.models import Guild
from notes.messages.schemas import Text

router = Router(tags=["kept from the source designs"])
Id = Annotated[str, Field(max_length=256)]


class Markdown(BaseModel):
    """The snapshot, in the spelling of the design that it comes from."""

    guildId: str  # noqa: N815
    markdown: str
    generated_at: datetime


class KeptQuestion(BaseModel):
    """A search in the spelling of the design that it comes from; `limit` is brought within 1 to 24, not refused."""

    q: Annotated[str, Text, Field(max_length=LONGEST_QUESTION)] = ""
    guildId: str = Field(default="", max_length=256)  # noqa: N815
    channelId: str = Field(default="", max_length=200)  # noqa: N815
    limit: Annotated[int, AfterValidator(lambda limit: min(max(limit, 1), MOST_RESULTS))] = 10


class Results(BaseModel):
    """What was found; without a question or a guild nothing, and limit 0."""

    queryText: str  # noqa: N815
    guildId: str  # noqa: N815
    channelId: str | None  # noqa: N815
    limit: int
    results: list[Found]


class MemoryOut(FactOut):
    """A fact with its guild."""

    guild: str = via("guild", "key")


class MemoryWindow(Window):
    """This list was given whole once; a page of it is larger than others."""

    limit: int = Field(default=200, ge=1, le=1_000)


class Memories(BaseModel):
    """Facts of all the guilds that the caller sees, the newest first."""

    memories: list[MemoryOut]
    next_cursor: str | None


@router.get("/api/memory", response=Markdown)
def show_memory(request: Call, guildId: Id = "") -> Markdown:  # noqa: N803
    """Show the snapshot of a guild; without `guildId`, of the only one there is for the caller."""
    return _markdown(_guild(request.auth, guildId), refresh=False)


@router.post("/api/memory/refresh", response=Markdown)
def refresh_memory(request: Call, guildId: Id = "") -> Markdown:  # noqa: N803
    """Render the snapshot anew."""
    return _markdown(_guild(request.auth, guildId), refresh=True)


@router.get("/api/memory/search", response=Results, exclude_unset=True)
def search_facts(request: Call, query: Query[KeptQuestion]) -> Results:
    """Find facts that pass the relevance gate; without a question or a guild nothing."""
    names = {"queryText": query.q, "guildId": query.guildId, "channelId": query.channelId or None}
    if not query.q.strip() or not query.guildId:
        return Results.model_validate({**names, "limit": 0, "results": []})
    guild = _guild(request.auth, query.guildId)
    channel = channel_of(guild, query.channelId) if query.channelId else None
    memories = search.recall(
        guild, question=query.q, now=timezone.now(), channel=channel, limit=query.limit, kinds=("fact",), strict=True
    )
    return Results.model_validate({**names, "limit": query.limit, "results": [Found.of(memory) for memory in memories]})


@router.get("/admin/api/memories", response=Memories)
def list_memories(request: Call, window: Query[MemoryWindow]) -> Memories:
    """List what is current, of all the guilds that the caller sees."""
    rows = with_evidence(Fact.objects.active().filter(guild__in=request.auth.guilds))
    shown = page(rows, window=window, show=MemoryOut.of)
    return Memories(memories=shown.items, next_cursor=shown.next_cursor)


@router.delete("/admin/api/memories/{fact_id}", response={204: None})
def delete_memory(request: Call, fact_id: PathRowId) -> Status[None]:
    """Erase a fact for good."""
    fact = one(Fact.objects.filter(guild__in=request.auth.guilds).select_related("guild"), "memory", pk=fact_id)
    withdraw.forget_fact(fact, actor=request.auth.actor, now=timezone.now())
    return Status(204, None)


def _markdown(guild: Guild, *, refresh: bool) -> Markdown:
    row = snapshots.current_snapshot(guild, now=timezone.now(), refresh=refresh)
    return Markdown(guildId=guild.key, markdown=row.text, generated_at=row.generated_at)


def _guild(caller: Caller, guild_id: str) -> Guild:
    """Return the guild: by its key, by a Discord id alone, or the only one there is."""
    if guild_id:
        return caller.guild(guild_id if ":" in guild_id else f"discord:{guild_id}")
    if caller.bound:
        return caller.bound
    guilds = list(caller.guilds[:2])
    if len(guilds) != 1:
        raise Http404("Say which guild: guildId=KEY.")
    return guilds[0]
