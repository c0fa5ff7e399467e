"""JSON route: whom the operator blocks; their messages are not stored at all."""

from __future__ import annotations

from django.utils import timezone
from ninja import Router

from memory.curation import guild_settings
from memoryhub.common.api_scope import Call, PathId
from notes.messages.schemas import Strict

router = Router(tags=["channels, relationships, consent"])


class Blocked(Strict):
    """Whether an account is blocked."""

    blocked: bool


@router.put("/guilds/{key}/members/{path:member_id}/blocked", response=Blocked)
def block_member(request: Call, key: str, member_id: PathId, body: Blocked) -> Blocked:
    """Store nothing more of this account, or store it again; it need never have spoken. Needs scope admin."""
    guild = request.auth.guild(key)
    guild_settings.block(
        guild, platform_id=member_id, blocked=body.blocked, actor=request.auth.actor, now=timezone.now()
    )
    return body
