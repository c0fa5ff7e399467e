"""JSON routes: search, answers with sources, who knows about something, and the context for a bot's next reply."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone
from ninja import Query, Router

from memory.answers import answering
from memory.api.schemas.answers import AnswerOut, QuestionIn
from memory.api.schemas.context import ContextOut, TurnIn
from memory.api.schemas.expertise import KnowerOut, KnowersOut, WhoFilters
from memory.api.schemas.search import Found, FoundOut, Question
from memory.context import builder
from memory.expertise.who_knows import who_knows
from memory.recall import search
from memoryhub import db
from memoryhub.common.api_scope import Call, channel_of, member_of
from memoryhub.common.schemas import Written, written
from memoryhub.community.identity import BY_PLATFORM_IDS
from memoryhub.community.models import Guild, Member

router = Router(tags=["search and context"])


@router.get("/guilds/{key}/search", response=FoundOut, exclude_unset=True)
def search_memory(request: Call, key: str, question: Query[Question]) -> Written:
    """Find what is known, the best first."""
    return written(found_for(request, key, question), exclude_unset=True)


def found_for(request: Call, key: str, question: Question) -> FoundOut:
    """Return what a question finds."""
    guild = request.auth.guild(key)
    memories = search.recall(
        guild, question=question.q, now=timezone.now(),
        channel=channel_of(guild, question.channel) if question.channel else None,
        member=member_of(guild, question.member) if question.member else None,
        limit=question.limit, kinds=tuple(question.kind), strict=question.strict, preset=question.preset,
        as_of=question.as_of,
    )  # fmt: skip
    return FoundOut(items=[Found.of(memory, explain=question.explain) for memory in memories], next_cursor=None)


@router.post("/guilds/{key}/ask", response=AnswerOut)
def ask_memory(request: Call, key: str, body: QuestionIn) -> AnswerOut:
    """Answer a question from memory, each sentence with its sources, or say that nothing is known.

    A member that nobody has heard of yet is passed over.
    """
    guild = request.auth.guild(key)
    answered = answering.answer(
        guild, question=body.text, now=timezone.now(),
        channel=channel_of(guild, body.channel) if body.channel else None,
        asker=next(iter(_known(guild, [body.member])), None) if body.member else None,
    )  # fmt: skip
    return AnswerOut.of(answered)


@router.get("/guilds/{key}/who", response=KnowersOut)
def find_who_knows(request: Call, key: str, asked: Query[WhoFilters]) -> KnowersOut:
    """Find the members who told of something themselves, the best first, with their own words.

    Who said that they will not be found is not among them.
    """
    guild = request.auth.guild(key)
    found = who_knows(
        guild, question=asked.q, now=timezone.now(), limit=asked.limit,
        channel=channel_of(guild, asked.channel) if asked.channel else None,
    )  # fmt: skip
    return KnowersOut(items=[KnowerOut.of(each) for each in found])


@router.post("/guilds/{key}/context", response=ContextOut)
def build_context(request: Call, key: str, body: TurnIn) -> Written:
    """Hand a bot what it should know for its next reply. Members that nobody has heard of yet are passed over."""
    return written(context_for(request, key, body))


def context_for(request: Call, key: str, body: TurnIn) -> ContextOut:
    """Return the context of a turn."""
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
    found = db.read(Member, BY_PLATFORM_IDS, [guild.pk, db.text_list(ids)]) if ids else []
    rows = {member.platform_id: member for member in found}
    return [rows[name] for name in dict.fromkeys(ids) if name in rows]
