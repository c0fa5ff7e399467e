"""Erases all that is stored of oneself, of a member, of a guild; each erasure leaves a receipt."""

from __future__ import annotations

from datetime import datetime

from botrunner.actions import texts_members, texts_moderators
from botrunner.actions.caller import Caller, guild_of, member_of
from memory import erasure


def erase_own(caller: Caller, *, now: datetime) -> str:
    """Erase all that is stored of the caller; their choice not to be remembered outlives it."""
    member = member_of(caller)
    if member is None:
        return texts_members.NOTHING_STORED
    return texts_members.erased(erasure.erase_member(member, now=now, by=caller.actor).token)


def planned_member(caller: Caller, *, person_id: str) -> dict[str, int] | None:
    """Return what would go with a member; None if nothing is known of them."""
    member = member_of(caller, person_id)
    return erasure.preview(member) if member else None


def clear(caller: Caller, *, person_id: str, name: str, now: datetime) -> str:
    """Erase all that is stored of a member."""
    member = member_of(caller, person_id)
    if member is None:
        return texts_moderators.UNKNOWN
    return texts_moderators.erased(name, erasure.erase_member(member, now=now, by=caller.moderator).token)


def planned_guild(caller: Caller) -> dict[str, int] | None:
    """Return what would go with the guild; None if nothing is stored of it."""
    guild = guild_of(caller)
    return erasure.preview(guild) if guild else None


def purge(caller: Caller, *, now: datetime) -> str:
    """Erase all that is stored of the guild, rows and files."""
    guild = guild_of(caller)
    if guild is None:
        return texts_moderators.UNKNOWN_GUILD
    return texts_moderators.erased(caller.guild.name, erasure.purge_guild(guild, now=now, by=caller.moderator).token)
