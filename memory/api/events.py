"""JSON routes: what changed in a guild, as a stream that stays open."""

from __future__ import annotations

from typing import Annotated

from django.http import StreamingHttpResponse
from ninja import Header, Query, Router
from ninja.errors import HttpError
from pydantic import Field

from memory.events import stream
from memoryhub.common.api_scope import Call

router = Router(tags=["events"])
Number = Annotated[int, Field(ge=0, le=2**63 - 1)]
STREAM = {
    "responses": {
        200: {
            "description": "Server-sent events, for some minutes; then come back with the last id.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    }
}


@router.get("/guilds/{key}/events", openapi_extra=STREAM)
def follow_events(
    request: Call,
    key: str,
    after: Annotated[Number | None, Query(description="The last event seen; 0: all that are kept.")] = None,
    last_event_id: Annotated[Number | None, Header(alias="Last-Event-ID", description="The same; it wins.")] = None,
) -> StreamingHttpResponse:
    """Tell what changes from now on, or since the last event seen: kinds and ids, never a text."""
    guild = request.auth.guild(key)
    try:
        begin, gap = stream.begin(guild, after if last_event_id is None else last_event_id)
    except stream.TooManyStreams:
        raise HttpError(503, "There are too many open streams. Come back in some seconds.") from None
    response = StreamingHttpResponse(
        stream.follow(guild, after=begin, gap=gap), content_type="text/event-stream; charset=utf-8"
    )
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"  # nginx would hold events back
    return response
