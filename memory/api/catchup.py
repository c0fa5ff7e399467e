"""JSON routes: what somebody missed."""

from __future__ import annotations

from django.utils import timezone
from ninja import Query, Router

from memory.api.schemas.catchup import CatchUpFilters, CaughtUpOut
from memory.catchup.catching_up import catch_up
from memory.catchup.readers import Reader
from memoryhub.common.api_scope import Call, channel_of, member_of

router = Router(tags=["search and context"])


@router.get("/guilds/{key}/catchup", response=CaughtUpOut)
def catch_member_up(request: Call, key: str, asked: Query[CatchUpFilters]) -> CaughtUpOut:
    """Tell what was said, decided and asked since a member last spoke, or since a time."""
    guild = request.auth.guild(key)
    reader = Reader.of_channel(
        guild,
        member_of(guild, asked.member) if asked.member else None,
        channel_of(guild, asked.channel) if asked.channel else None,
    )
    return CaughtUpOut.of(catch_up(reader, since=asked.since, now=timezone.now()))
