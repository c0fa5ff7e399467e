"""JSON routes: channels, members, consent, relationships."""

from __future__ import annotations

from django.db.models import Count, Max, Q, Sum
from django.utils import timezone
from ninja import Query, Router

from memoryhub.paging import Page, Window, page
from profiles import consent
from profiles.caller import Call, PathId, member_of
from profiles.identity import Person, Register
from profiles.models import Channel, Member, RelationshipDay
from profiles.schemas import (
    ChannelOut,
    Consent,
    ConsentOut,
    MemberFilters,
    MemberOut,
    MemberRef,
    RelationshipOut,
    RelationshipsOut,
)  # fmt: skip

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


@router.get("/guilds/{key}/members/{path:member_id}/relationships", response=RelationshipsOut)
def list_relationships(request: Call, key: str, member_id: PathId) -> RelationshipsOut:
    """Show with whom a member had to do, the latest first: counts over all days."""
    member = member_of(request.auth.guild(key), member_id)
    counts = ("replies", "mentions", "together", "voice_minutes")
    sums = (
        RelationshipDay.objects.filter(source=member)
        .values("target")
        .annotate(days=Count("day"), last_day=Max("day"), **{name: Sum(name) for name in counts})
        .order_by("-last_day", "target")[:SHOWN_RELATIONSHIPS]
    )
    others = Member.objects.in_bulk([row["target"] for row in sums])
    rows = [{"member": MemberRef.of(others[row["target"]]), **row} for row in sums]
    return RelationshipsOut(items=[RelationshipOut.model_validate(row) for row in rows])


@router.put("/guilds/{key}/members/{path:member_id}/consent", response=ConsentOut)
def set_consent(request: Call, key: str, member_id: PathId, body: Consent) -> ConsentOut:
    """Record whether a member is to be remembered; they may choose before they ever spoke."""
    guild, now = request.auth.guild(key), timezone.now()
    register = Register(guild)
    register.load(channels=[], members=[member_id])
    member = register.member(Person(id=member_id), seen_at=now)
    consent.choose(member, remember=body.remember, actor=request.auth.actor, now=now)
    return ConsentOut(id=member_id, remember=body.remember)


@router.get("/guilds/{key}/members/{path:member_id}", response=MemberOut)
def show_member(request: Call, key: str, member_id: PathId) -> MemberOut:
    """Show one member."""
    return MemberOut.of(member_of(request.auth.guild(key), member_id))
