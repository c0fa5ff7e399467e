"""JSON routes: channels, members, relationships."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q
from django.utils import timezone
from ninja import Query, Router

from memoryhub.paging import Page, Window, cut, page, reach
from profiles import relationships
from profiles.caller import Call, PathId, channel_of, member_of
from profiles.edges import Edge, edges
from profiles.graph_schemas import (
    EdgeOut,
    GraphFilters,
    GraphOut,
    RelationshipOut,
    RelationshipsOut,
    Switch,
    TieFilters,
)  # fmt: skip
from profiles.models import Channel, Guild, Member, RelationshipDay
from profiles.schemas import ChannelOut, MemberFilters, MemberOut

router = Router(tags=["members and channels"])


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
    relationships.switch(request.auth.guild(key), on=body.on)
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
