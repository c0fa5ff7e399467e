"""JSON routes: what was given up after five attempts, and its way back."""

from __future__ import annotations

from django.utils import timezone
from ninja import Query, Router

from memory.api.schemas.parked import ParkedOut, ParkedWindow, Replay, ReplayedOut
from memory.curation import parked
from memoryhub.common.api_scope import Call
from notes.models import Message

router = Router(tags=["parked"])


@router.get("/guilds/{key}/parked", response=ParkedOut)
def list_parked(request: Call, key: str, window: Query[ParkedWindow]) -> ParkedOut:
    """Show the messages and conversations that failed five times: which, why, since when."""
    page = parked.list_parked(
        [request.auth.guild(key)], messages_before=window.messages_cursor, buffers_before=window.buffers_cursor,
        limit=window.limit,
    )  # fmt: skip
    return ParkedOut.of(page)


@router.post("/guilds/{key}/parked/replay", response=ReplayedOut)
def replay_parked(request: Call, key: str, body: Replay | None = None) -> ReplayedOut:
    """Have them tried again by the worker; needs scope admin. What is not parked is left as it is."""
    guild, which = request.auth.guild(key), body or Replay()
    messages = buffers = None
    if which.messages is not None:
        rows = Message.objects.of(guild).filter(platform_id__in=which.messages)
        messages = list(rows.values_list("pk", flat=True))
    if which.buffers is not None:
        buffers = [int(number) for number in which.buffers]
    done = parked.replay(guild, actor=request.auth.actor, now=timezone.now(), messages=messages, buffers=buffers)
    return ReplayedOut(messages=done.messages, buffers=done.buffers)
