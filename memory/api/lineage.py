"""JSON route: from a message to all that was derived from it."""

from __future__ import annotations

from ninja import Router

from memory.api.schemas.lineage import DerivedOut
from memory.facts.lineage import derived_from
from memoryhub.common.api_scope import Call, PathId, one
from notes.models import Message

router = Router(tags=["messages"])


@router.get("/guilds/{key}/messages/{path:message_id}/derived", response=DerivedOut)
def show_derived(request: Call, key: str, message_id: PathId) -> DerivedOut:
    """Show the facts, notes, lines of profiles, summaries, questions and counts that rest on a message."""
    rows = Message.objects.of(request.auth.guild(key)).select_related("guild", "channel")
    message = one(rows, "message", platform_id=message_id)
    return DerivedOut.of(message, derived_from(message))
