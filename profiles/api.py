"""JSON routes: channels, members, relationships."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q
from django.utils import timezone
from ninja import Query, Router, Status

from memoryhub.common.api_scope import Call, PathId, channel_of, member_of, one
from memoryhub.common.pagination import Page, Window, cut, page, reach
from memoryhub.common.schemas import ChannelId, ChannelOut, Consent, ConsentOut, MemberFilters, MemberOut, MemberRef
from memoryhub.community.consent import remembers
from memoryhub.community.identity import CommunityCache, Person
from memoryhub.community.models import Channel, Guild, Member
from profiles import consent_effects
from profiles.models import ProfileEntry, RelationshipDay
from profiles.relationships import relationship_store
from profiles.relationships.evidence import walk
from profiles.relationships.graph import Edge, edges
from profiles.relationships.schemas import (
    EdgeOut,
    EncounterOut,
    GraphFilters,
    GraphOut,
    Level,
    LevelOut,
    RelationshipDetail,
    RelationshipOut,
    RelationshipsOut,
    Switch,
    TieFilters,
)
from profiles.revision.visible_entries import entries_for
from profiles.schemas import EntryOut, ProfileOut

router = Router(tags=["members and channels"])


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
    row = relationship_store.set_level(*pair, level=body.level, actor=request.auth.actor, now=timezone.now())
    return LevelOut(members=[MemberRef.of(each) for each in pair], level=row.level, actor=row.actor, set_at=row.set_at)


@router.delete("/guilds/{key}/members/{path:member_id}/relationships/{path:other_id}", response={204: None})
def clear_relationship(request: Call, key: str, member_id: PathId, other_id: PathId) -> Status[None]:
    """Let what is counted of two members stand again; clearing twice is fine. Needs scope admin."""
    guild = request.auth.guild(key)
    relationship_store.clear_level(member_of(guild, member_id), member_of(guild, other_id))
    return Status(204, None)


@router.put("/guilds/{key}/members/{path:member_id}/consent", response=ConsentOut)
def set_consent(request: Call, key: str, member_id: PathId, body: Consent) -> ConsentOut:
    """Record whether a member is to be remembered; they may choose before they ever spoke."""
    guild, now = request.auth.guild(key), timezone.now()
    cache = CommunityCache(guild, move=None)
    cache.load(channels=[], members=[member_id])
    member = cache.member(Person(id=member_id), seen_at=now)
    consent_effects.choose(member, remember=body.remember, actor=request.auth.actor, now=now)
    return ConsentOut(id=member_id, remember=body.remember)


@router.get("/guilds/{key}/members/{path:member_id}/profile", response=ProfileOut)
def show_profile(request: Call, key: str, member_id: PathId, channel: ChannelId = None) -> ProfileOut:
    """Show what a member is like, with sources: what may be said in the channel, or everywhere in the guild."""
    guild = request.auth.guild(key)
    member = one(Member.objects.of(guild).select_related("profile"), "member", platform_id=member_id)
    profile = getattr(member, "profile", None)
    sections: dict[str, list[EntryOut]] = {name: [] for name in ProfileEntry.Section.values}
    for entry in entries_for(guild, [member], channel=channel_of(guild, channel) if channel else None):
        sections[entry.section].append(EntryOut.of(entry))
    return ProfileOut(
        sections=sections,
        summary=profile.summary if profile and remembers(guild, member) else "",
        updated_at=profile.updated_at if profile else None,
    )


@router.get("/guilds/{key}/channels", response=Page[ChannelOut])
def list_channels(request: Call, key: str, window: Query[Window]) -> Page[ChannelOut]:
    """List the channels, oldest known first."""
    rows = Channel.objects.of(request.auth.guild(key)).select_related("parent")
    return page(rows, window=window, show=ChannelOut.of, oldest_first=True)


@router.get("/guilds/{key}/members", response=Page[MemberOut])
def list_members(request: Call, key: str, filters: Query[MemberFilters]) -> Page[MemberOut]:
    """List the members, oldest known first."""
    rows = Member.objects.of(request.auth.guild(key))
    if filters.q:
        rows = rows.filter(Q(name__icontains=filters.q) | Q(display_name__icontains=filters.q))
    return page(rows, window=filters, show=MemberOut.of, oldest_first=True)


@router.get("/guilds/{key}/relationships", response=GraphOut)
def list_edges(request: Call, key: str, filters: Query[GraphFilters]) -> GraphOut:
    """List who has to do with whom, the strongest first: what may be told in the channel, or everywhere."""
    guild = request.auth.guild(key)
    found = _edges(guild, filters, least=filters.least)
    return GraphOut(on=guild.relationships_on, **cut(found, window=filters, show=EdgeOut.of).model_dump())


@router.put("/guilds/{key}/relationships", response=Switch)
def switch_relationships(request: Call, key: str, body: Switch) -> Switch:
    """Turn counting on or off for the guild; off, what was counted goes. Needs scope admin."""
    relationship_store.switch(request.auth.guild(key), on=body.on)
    return body


@router.get("/guilds/{key}/members/{path:member_id}/relationships", response=RelationshipsOut)
def list_relationships(request: Call, key: str, member_id: PathId, filters: Query[TieFilters]) -> RelationshipsOut:
    """Show with whom a member has to do, the strongest first: what may be told in the channel, or everywhere."""
    guild = request.auth.guild(key)
    member = member_of(guild, member_id)
    found = _edges(guild, filters, touching=[member])
    shown = cut(found, window=filters, show=lambda edge: RelationshipOut.of(edge, member))
    return RelationshipsOut(on=guild.relationships_on, **shown.model_dump())


def _edges(
    guild: Guild, asked: TieFilters, *, touching: Sequence[Member] | None = None, least: float = 0.0
) -> list[Edge]:
    channel = channel_of(guild, asked.channel) if asked.channel else None
    rows = RelationshipDay.objects.told_in(guild, channel)
    return edges(rows, guild=guild, now=timezone.now(), touching=touching, most=reach(asked), least=least)


@router.get("/guilds/{key}/members/{path:member_id}", response=MemberOut)
def show_member(request: Call, key: str, member_id: PathId) -> MemberOut:
    """Show one member."""
    return MemberOut.of(member_of(request.auth.guild(key), member_id))
