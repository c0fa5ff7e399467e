"""JSON route: the context for a bot's next reply."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone
from ninja import Router

from memory.api.schemas.context import ContextOut, TurnIn
from memory.context import builder
from memoryhub.common.api_scope import Call, channel_of
from memoryhub.community.models import Guild, Member

router = Router(tags=["search and context"])


@router.post("/guilds/{key}/context", response=ContextOut)
def build_context(request: Call, key: str, body: TurnIn) -> ContextOut:
    """Hand a bot what it should know for its next reply. Members that nobody has heard of yet are passed over."""
    guild = request.auth.guild(key)
    turn = builder.Turn(
        guild=guild, channel=channel_of(guild, body.channel) if body.channel else None,
        members=_known(guild, body.members), mentioned=_known(guild, body.mentions),
        text=body.text, max_tokens=body.max_tokens, format=body.format, now=timezone.now(), base=body.base,
        transcript=None if body.transcript is None else [said.item() for said in body.transcript],
        memory_role=body.memory_role, preset=body.preset, as_of=body.as_of,
    )  # fmt: skip
    return ContextOut.of(builder.build(turn))


def _known(guild: Guild, ids: Sequence[str]) -> list[Member]:
    """Return the members in the order given."""
    rows = {member.platform_id: member for member in Member.objects.of(guild).filter(platform_id__in=ids)}
    return [rows[name] for name in dict.fromkeys(ids) if name in rows]
