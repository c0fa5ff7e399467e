"""JSON routes: summaries of channels, open questions; one relationship, what it rests on, its level; consent."""

from __future__ import annotations

from django.utils import timezone
from ninja import Router, Status

from notes import choices, questions, summaries
from notes.channel_schemas import ChannelSummary, EncounterOut, QuestionOut, RelationshipDetail, SummaryOut
from notes.models import Summary
from notes.walking import walk
from profiles import relationships
from profiles.caller import Call, PathId, channel_of, member_of
from profiles.edges import edges
from profiles.graph_schemas import EdgeOut, Level, LevelOut
from profiles.identity import Person, Register
from profiles.models import Channel, RelationshipDay
from profiles.schemas import ChannelId, Consent, ConsentOut, MemberRef

router = Router(tags=["channels, relationships, consent"])
SHOWN_QUESTIONS = 100


@router.get("/guilds/{key}/channels/{path:channel_id}/summary", response=ChannelSummary)
def show_summary(request: Call, key: str, channel_id: PathId) -> ChannelSummary:
    """Show what a channel is about, lately and over time, and the questions that it left open."""
    return _summary(channel_of(request.auth.guild(key), channel_id))


@router.post("/guilds/{key}/channels/{path:channel_id}/summarize", response=ChannelSummary)
def summarize_channel(request: Call, key: str, channel_id: PathId) -> ChannelSummary:
    """Write the channel's summary anew from its last talk; 409 where memory is off, 503 when the model fails."""
    channel = channel_of(request.auth.guild(key), channel_id)
    summaries.summarize(channel, now=timezone.now())
    channel.refresh_from_db()
    return _summary(channel)


@router.get("/guilds/{key}/members/{path:member_id}/relationships/{path:other_id}", response=RelationshipDetail)
def show_relationship(
    request: Call, key: str, member_id: PathId, other_id: PathId, channel: ChannelId = None
) -> RelationshipDetail:
    """Show two members' relationship with the days, channels, messages and notes that its counts rest on."""
    guild = request.auth.guild(key)
    one, other = member_of(guild, member_id), member_of(guild, other_id)
    rows = RelationshipDay.objects.told_in(guild, channel_of(guild, channel) if channel else None)
    theirs = rows.filter(source__in=[one, other], target__in=[one, other])
    found = [edge for edge in edges(theirs, guild=guild, now=timezone.now(), touching=[one]) if edge.joins(one, other)]
    return RelationshipDetail(
        edge=EdgeOut.of(found[0]) if found else None,
        encounters=[EncounterOut.of(each) for each in walk(one, other, rows=rows)] if found else [],
    )


@router.put("/guilds/{key}/members/{path:member_id}/relationships/{path:other_id}", response=LevelOut)
def set_relationship(request: Call, key: str, member_id: PathId, other_id: PathId, body: Level) -> LevelOut:
    """Say how close two members are, 0 to 1: it wins over what is counted until it is cleared. Needs scope admin."""
    guild = request.auth.guild(key)
    pair = member_of(guild, member_id), member_of(guild, other_id)
    row = relationships.set_level(*pair, level=body.level, actor=request.auth.actor, now=timezone.now())
    return LevelOut(members=[MemberRef.of(each) for each in pair], level=row.level, actor=row.actor, set_at=row.set_at)


@router.delete("/guilds/{key}/members/{path:member_id}/relationships/{path:other_id}", response={204: None})
def clear_relationship(request: Call, key: str, member_id: PathId, other_id: PathId) -> Status[None]:
    """Let what is counted of two members stand again; clearing twice is fine. Needs scope admin."""
    guild = request.auth.guild(key)
    relationships.clear_level(member_of(guild, member_id), member_of(guild, other_id))
    return Status(204, None)


@router.put("/guilds/{key}/members/{path:member_id}/consent", response=ConsentOut)
def set_consent(request: Call, key: str, member_id: PathId, body: Consent) -> ConsentOut:
    """Record whether a member is to be remembered; they may choose before they ever spoke."""
    guild, now = request.auth.guild(key), timezone.now()
    register = Register(guild, move=None)
    register.load(channels=[], members=[member_id])
    member = register.member(Person(id=member_id), seen_at=now)
    choices.choose(member, remember=body.remember, actor=request.auth.actor, now=now)
    return ConsentOut(id=member_id, remember=body.remember)


def _summary(channel: Channel) -> ChannelSummary:
    written = {summary.kind: SummaryOut.of(summary) for summary in Summary.objects.filter(channel=channel)}
    left_open = questions.open_in(channel).select_related("asked_by").prefetch_related("messages")
    return ChannelSummary(
        channel=channel.platform_id,
        rolling=written.get("rolling"),
        profile=written.get("profile"),
        questions=[QuestionOut.of(question) for question in left_open[:SHOWN_QUESTIONS]],
        waiting=channel.unsummarized,
        error=channel.summary_error,
        next_attempt_at=channel.summary_next_attempt_at,
    )
