"""From what an operator types to rows: a guild's key, the platform's ids of a channel and of members."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.management.base import CommandError

from profiles.identity import GuildUnknown, find_guild
from profiles.models import Channel, Guild, Member


def guild_of(key: str) -> Guild:
    """Return the guild; raises CommandError."""
    try:
        return find_guild(key)
    except GuildUnknown as error:
        raise CommandError(str(error)) from error


def channel_of(guild: Guild, channel_id: str | None) -> Channel | None:
    """Return the guild's channel, None for none; raises CommandError."""
    if channel_id is None:
        return None
    found = Channel.objects.of(guild).filter(platform_id=channel_id).select_related("parent").first()
    if found is None:
        raise CommandError(f"The guild {guild.key} has no channel {channel_id}.")
    return found


def members_of(guild: Guild, member_ids: Iterable[str]) -> list[Member]:
    """Return the guild's members in the order given; raises CommandError."""
    wanted = list(member_ids)
    found = {member.platform_id: member for member in Member.objects.of(guild).filter(platform_id__in=wanted)}
    if missing := [each for each in wanted if each not in found]:
        raise CommandError(f"The guild {guild.key} has no member {missing[0]}.")
    return [found[each] for each in wanted]
