"""JSON routes: who has to do with whom.

Ids may hold a slash, so that longer addresses stand first, and all of them before those of members.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone
from ninja import Query, Router, Status

from memoryhub.common.api_scope import Call, PathId, channel_of, member_of
from memoryhub.common.pagination import cut, reach
from memoryhub.common.schemas import ChannelId, MemberRef
from memoryhub.community.models import Guild, Member
from profiles.api.schemas import (
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
from profiles.models import RelationshipDay
from profiles.relationships import relationship_store
from profiles.relationships.evidence import encounters_of_pair
from profiles.relationships.graph import Edge, edges
from profiles.relationships.tie_lines import ties

router = Router(tags=["members and channels"])


@router.get("/guilds/{key}/members/{path:member_id}/relationships/{path:other_id}", response=RelationshipDetail)
def show_relationship(
    request: Call, key: str, member_id: PathId, other_id: PathId, channel: ChannelId = None
) -> RelationshipDetail:
    """Show two members' relationship with the days, channels, messages and notes that its counts rest on."""
    guild = request.auth.guild(key)
    one, other = member_of(guild, member_id), member_of(guild, other_id)
    place = channel_of(guild, channel) if channel else None
    rows, said = RelationshipDay.objects.told_in(guild, place), ties(guild, channel=place, of=[one, other])
    of_both = rows.filter(source__in=[one, other], target__in=[one, other])
    touching = edges(of_both, guild=guild, now=timezone.now(), touching=[one], stated=said)
    edge = next((edge for edge in touching if edge.joins(one, other)), None)
    if edge is None:
        return RelationshipDetail(edge=None, encounters=[])
    encounters = encounters_of_pair(one, other, rows=rows)
    return RelationshipDetail(edge=EdgeOut.of(edge), encounters=[EncounterOut.of(day) for day in encounters])


@router.put("/guilds/{key}/members/{path:member_id}/relationships/{path:other_id}", response=LevelOut)
def set_relationship(request: Call, key: str, member_id: PathId, other_id: PathId, body: Level) -> LevelOut:
    """Say how close two members are, 0 to 1: it wins over what is counted until it is cleared. Needs scope admin."""
    guild = request.auth.guild(key)
    pair = member_of(guild, member_id), member_of(guild, other_id)
    row = relationship_store.set_level(*pair, level=body.level, actor=request.auth.actor, now=timezone.now())
    return LevelOut(
        members=[MemberRef.of(member) for member in pair], level=row.level, actor=row.actor, set_at=row.set_at
    )


@router.delete("/guilds/{key}/members/{path:member_id}/relationships/{path:other_id}", response={204: None})
def clear_relationship(request: Call, key: str, member_id: PathId, other_id: PathId) -> Status[None]:
    """Let what is counted of two members stand again; clearing twice is fine. Needs scope admin."""
    guild = request.auth.guild(key)
    relationship_store.clear_level(member_of(guild, member_id), member_of(guild, other_id))
    return Status(204, None)


@router.get("/guilds/{key}/members/{path:member_id}/relationships", response=RelationshipsOut)
def list_relationships(request: Call, key: str, member_id: PathId, filters: Query[TieFilters]) -> RelationshipsOut:
    """Show with whom a member has to do, the strongest first: what may be told in the channel, or everywhere."""
    guild = request.auth.guild(key)
    member = member_of(guild, member_id)
    found = _edges(guild, filters, touching=[member])
    shown = cut(found, window=filters, show=lambda edge: RelationshipOut.of(edge, member))
    return RelationshipsOut(on=guild.relationships_on, **shown.model_dump())


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


def _edges(
    guild: Guild, filters: TieFilters, *, touching: Sequence[Member] | None = None, least: float = 0.0
) -> list[Edge]:
    channel = channel_of(guild, filters.channel) if filters.channel else None
    rows = RelationshipDay.objects.told_in(guild, channel)
    said, now = ties(guild, channel=channel), timezone.now()
    return edges(rows, guild=guild, now=now, touching=touching, most=reach(filters), least=least, stated=said)
