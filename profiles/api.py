"""JSON routes: channels, members, relationships."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q
from django.utils import timezone
from ninja import Query, Router

from memoryhub.paging import Page, Window, page
from profiles import relationships
from profiles.caller import Call, PathId, channel_of, member_of
from profiles.edges import Edge, edges
from profiles.graph_schemas import EdgeOut, GraphFilters, GraphOut, RelationshipOut, RelationshipsOut, Switch
from profiles.models import Channel, Guild, Member, RelationshipDay
from profiles.schemas import ChannelId, ChannelOut, MemberFilters, MemberOut

router = Router(tags=["members and channels"])
SHOWN_RELATIONSHIPS = 100


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
    found = _edges(guild, filters.channel, most=filters.limit, least=filters.least)
    return GraphOut(on=guild.relationships_on, items=[EdgeOut.of(edge) for edge in found])


@router.put("/guilds/{key}/relationships", response=Switch)
def switch_relationships(request: Call, key: str, body: Switch) -> Switch:
    """Turn counting on or off for the guild; off, what was counted goes. Needs scope admin."""
    relationships.switch(request.auth.guild(key), on=body.on)
    return body


@router.get("/guilds/{key}/members/{path:member_id}/relationships", response=RelationshipsOut)
def list_relationships(request: Call, key: str, member_id: PathId, channel: ChannelId = None) -> RelationshipsOut:
    """Show with whom a member has to do, the strongest first: what may be told in the channel, or everywhere."""
    guild = request.auth.guild(key)
    member = member_of(guild, member_id)
    found = _edges(guild, channel, touching=[member], most=SHOWN_RELATIONSHIPS)
    return RelationshipsOut(on=guild.relationships_on, items=[RelationshipOut.of(edge, member) for edge in found])


def _edges(
    guild: Guild, channel: str | None, *, touching: Sequence[Member] | None = None, most: int, least: float = 0.0
) -> list[Edge]:
    rows = RelationshipDay.objects.told_in(guild, channel_of(guild, channel) if channel else None)
    return edges(rows, guild=guild, now=timezone.now(), touching=touching, most=most, least=least)


@router.get("/guilds/{key}/members/{path:member_id}", response=MemberOut)
def show_member(request: Call, key: str, member_id: PathId) -> MemberOut:
    """Show one member."""
    return MemberOut.of(member_of(request.auth.guild(key), member_id))
