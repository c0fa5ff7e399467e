"""Erasure at the desk: all of oneself, of a member, of a guild; each leaves a receipt."""

from __future__ import annotations

from datetime import datetime

from botrunner import answers, notices
from botrunner.desk import caller as asking
from botrunner.desk.caller import Caller
from memory import rights


def erase_own(caller: Caller, *, now: datetime) -> str:
    """Erase all that is stored of the caller; their choice not to be remembered outlives it."""
    member = asking.member_of(caller)
    if member is None:
        return answers.NOTHING_STORED
    return answers.erased(rights.erase_member(member, now=now, by=caller.actor).token)


def planned_member(caller: Caller, *, person_id: str) -> dict[str, int] | None:
    """Return what would go with a member; None if nothing is known of them."""
    member = asking.member_of(caller, person_id)
    return rights.planned(member) if member else None


def clear(caller: Caller, *, person_id: str, name: str, now: datetime) -> str:
    """Erase all that is stored of a member."""
    member = asking.member_of(caller, person_id)
    if member is None:
        return notices.UNKNOWN
    return notices.erased(name, rights.erase_member(member, now=now, by=caller.steward).token)


def planned_guild(caller: Caller) -> dict[str, int] | None:
    """Return what would go with the guild; None if nothing is stored of it."""
    guild = asking.guild_of(caller)
    return rights.planned(guild) if guild else None


def purge(caller: Caller, *, now: datetime) -> str:
    """Erase all that is stored of the guild, rows and files."""
    guild = asking.guild_of(caller)
    if guild is None:
        return notices.UNKNOWN_GUILD
    return notices.erased(caller.guild.name, rights.purge_guild(guild, now=now, by=caller.steward).token)
