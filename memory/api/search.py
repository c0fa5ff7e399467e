"""JSON route: search."""

from __future__ import annotations

from django.utils import timezone
from ninja import Query, Router

from memory.api.schemas.search import Found, FoundOut, Question
from memory.recall import search
from memoryhub.common.api_scope import Call, channel_of, member_of

router = Router(tags=["search and context"])


@router.get("/guilds/{key}/search", response=FoundOut, exclude_unset=True)
def search_memory(request: Call, key: str, question: Query[Question]) -> FoundOut:
    """Find what is known, the best first."""
    guild = request.auth.guild(key)
    memories = search.recall(
        guild, question=question.q, now=timezone.now(),
        channel=channel_of(guild, question.channel) if question.channel else None,
        member=member_of(guild, question.member) if question.member else None,
        limit=question.limit, kinds=tuple(question.kind), strict=question.strict, as_of=question.as_of,
    )  # fmt: skip
    return FoundOut(items=[Found.of(memory, explain=question.explain) for memory in memories], next_cursor=None)
