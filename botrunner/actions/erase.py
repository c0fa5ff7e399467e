"""Erases all that is stored of oneself, of a member, of a guild; each erasure leaves a receipt."""

from __future__ import annotations

from datetime import datetime

from botrunner.actions import texts_members, texts_moderators
from botrunner.actions.caller import Caller, guild_of, member_of
from memory import erasure

WAITED = 60.0  # seconds that Discord shows "thinking"; what takes longer goes on in the background


def erase_own(caller: Caller, *, now: datetime) -> str:
    """Erase all that is stored of the caller; their choice not to be remembered outlives it."""
    guild = guild_of(caller)
    job = guild and erasure.request_erasure(guild, member=caller.person.id, now=now, by=caller.actor, seconds=WAITED)
    if not job:
        return texts_members.NOTHING_STORED
    if job.finished_at:
        return texts_members.ERASED.format(receipt=job.receipt)
    return texts_members.ERASING.format(number=job.pk)


def planned(caller: Caller, *, person_id: str = "") -> dict[str, int] | None:
    """Return what would go with a member, or with the guild; None if nothing is known of them."""
    target = member_of(caller, person_id) if person_id else guild_of(caller)
    return erasure.preview(target) if target else None


def announce_purge(caller: Caller, *, now: datetime) -> None:
    """Write down that all of a server is to go, if its moderators are told of that: their channel is forgotten, too."""
    guild = guild_of(caller)
    if guild and guild.log_channel:
        erasure.begin(guild, now=now, by=caller.moderator)


def erase(caller: Caller, *, person_id: str = "", name: str, now: datetime) -> str:
    """Erase all that is stored of a member, or of the guild, its files too; `name` is what to call it."""
    guild, by = guild_of(caller), caller.moderator
    job = guild and erasure.request_erasure(guild, member=person_id or None, now=now, by=by, seconds=WAITED)
    if not job:
        return texts_moderators.UNKNOWN if person_id else texts_moderators.UNKNOWN_GUILD
    if job.finished_at:
        return texts_moderators.erased(name, job.receipt)
    return texts_moderators.erasing_still(name, str(job.pk))
