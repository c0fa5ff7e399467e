"""JSON routes: guilds, members and their profiles, whether they are to be remembered, and channels.

Ids may hold a slash, so that longer addresses stand first.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone
from ninja import Query, Router

from memoryhub import db
from memoryhub.common.api_scope import Call, PathId, channel_of, member_of, one
from memoryhub.common.pagination import Page, Window, page
from memoryhub.common.schemas import (
    ChannelId,
    ChannelOut,
    Consent,
    ConsentOut,
    Findable,
    FindableOut,
    GuildOut,
    MemberFilters,
    MemberOut,
)
from memoryhub.community import consent
from memoryhub.community.consent import remembers
from memoryhub.community.identity import CommunityCache, Person
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import name_holds
from profiles import consent_effects
from profiles.api.schemas import EntryOut, ProfileOut
from profiles.models import ProfileEntry
from profiles.revision.visible_entries import entries_for

router = Router(tags=["members and channels"])


@router.get("/guilds", response=Page[GuildOut])
def list_guilds(request: Call, window: Query[Window]) -> Page[GuildOut]:
    """List the guilds that the key is for, oldest known first."""
    return page(request.auth.guilds, window=window, show=GuildOut.of, oldest_first=True)


@router.get("/guilds/{key}/members", response=Page[MemberOut])
def list_members(request: Call, key: str, filters: Query[MemberFilters]) -> Page[MemberOut]:
    """List the members, oldest known first."""
    rows = Member.objects.of(request.auth.guild(key))
    if filters.q:
        rows = rows.filter(name_holds(filters.q))
    return page(rows, window=filters, show=MemberOut.of, oldest_first=True)


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


@router.put("/guilds/{key}/members/{path:member_id}/consent", response=ConsentOut)
def set_consent(request: Call, key: str, member_id: PathId, body: Consent) -> ConsentOut:
    """Record whether a member is to be remembered; they may choose before they ever spoke."""
    guild, now = request.auth.guild(key), timezone.now()
    with transaction.atomic():
        member = _known(guild, member_id, now)
        consent_effects.choose(member, remember=body.remember, actor=request.auth.actor, now=now)
    return ConsentOut(id=member_id, remember=body.remember)


@router.put("/guilds/{key}/members/{path:member_id}/findable", response=FindableOut)
def set_findable(request: Call, key: str, member_id: PathId, body: Findable) -> FindableOut:
    """Record whether a member is named to who asks who knows about something; what is remembered of them stays."""
    guild, now = request.auth.guild(key), timezone.now()
    with transaction.atomic():
        member = _known(guild, member_id, now)
        consent.let_be_found(member, findable=body.findable, actor=request.auth.actor, now=now)
    return FindableOut(id=member_id, findable=body.findable)


def _known(guild: Guild, member_id: str, now: datetime) -> Member:
    """Return the member, made if nobody has heard of them yet; call it in the transaction that records the choice."""
    db.lock_guild(guild.pk)
    cache = CommunityCache(guild, move=None)
    cache.load(channels=[], members=[member_id])
    return cache.member(Person(id=member_id), seen_at=now)


@router.get("/guilds/{key}/members/{path:member_id}", response=MemberOut)
def show_member(request: Call, key: str, member_id: PathId) -> MemberOut:
    """Show one member."""
    return MemberOut.of(member_of(request.auth.guild(key), member_id))


@router.get("/guilds/{key}/channels", response=Page[ChannelOut])
def list_channels(request: Call, key: str, window: Query[Window]) -> Page[ChannelOut]:
    """List the channels, oldest known first."""
    rows = Channel.objects.of(request.auth.guild(key)).select_related("parent")
    return page(rows, window=window, show=ChannelOut.of, oldest_first=True)
