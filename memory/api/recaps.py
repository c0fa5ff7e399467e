"""JSON routes: the recaps of a guild, and a new one of the last days."""

from __future__ import annotations

from django.utils import timezone
from ninja import Query, Router, Status

from memory.api.schemas.recaps import RecapIn, RecapOut, RecapWindow
from memory.models import Recap
from memory.recaps import recap_writing
from memory.recaps.told_lines import standing, standing_of
from memoryhub.common.api_scope import Call
from memoryhub.common.pagination import Page, page
from notes.summaries.summarize import MemoryOff

router = Router(tags=["notes"])


@router.get("/guilds/{key}/recaps", response=Page[RecapOut])
def list_recaps(request: Call, key: str, window: Query[RecapWindow]) -> Page[RecapOut]:
    """List what was told of weeks and months, the newest first, each with the lines that may still be told."""
    guild = request.auth.guild(key)
    found = page(Recap.objects.of(guild), window=window, show=lambda recap: recap)
    lines = standing_of(guild, found.items)
    items = [RecapOut.of(recap, lines[recap.pk]) for recap in found.items]
    return Page(items=items, next_cursor=found.next_cursor)


@router.post("/guilds/{key}/recaps", response={201: RecapOut})
def write_recap(request: Call, key: str, body: RecapIn | None = None) -> Status[RecapOut]:
    """Write a draft of the last days, for a moderator to edit and post; needs scope admin.

    A model may be asked once. Where there is nothing to tell, its status is `empty`.
    """
    guild, asked = request.auth.guild(key), body or RecapIn()
    if not guild.memory_on:
        raise MemoryOff("Memory is turned off in this guild, so nothing is told. Its settings turn it on.")
    recap = recap_writing.write_asked(guild, days=asked.days, actor=request.auth.actor, now=timezone.now())
    return Status(201, RecapOut.of(recap, standing(recap)))
