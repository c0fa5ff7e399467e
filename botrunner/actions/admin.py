"""What those who run a guild may see and do at the desk; the commands have checked their permission."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q, QuerySet

from botrunner.actions import caller as asking
from botrunner.actions import texts_moderators
from botrunner.actions import undo as undoing
from botrunner.actions.caller import Caller
from botrunner.actions.memory_ids import named
from memory.curation.statistics import overview
from memory.jobs import profile_rebuilds
from memory.models import Fact
from memory.records.action_log import log
from memoryhub.community.querysets import remembered
from notes.messages import conversations


def numbers(caller: Caller, *, now: datetime) -> str:
    """Show how much is known and what waits."""
    guild = asking.guild_of(caller)
    return texts_moderators.overview(overview(guild, now=now)) if guild else texts_moderators.UNKNOWN_GUILD


def digest(caller: Caller, *, now: datetime) -> str:
    """End every open conversation now; its digest is the worker's next work."""
    guild = asking.guild_of(caller)
    if guild is None:
        return texts_moderators.UNKNOWN_GUILD
    ended = conversations.close_all(guild=guild, now=now)
    log("digest_asked", guild=guild, actor=caller.steward, now=now, conversations=ended)
    return texts_moderators.digesting(ended)


def rebuild(caller: Caller, *, person_id: str, now: datetime) -> str:
    """Have the profile of a member, or of everybody, rebuilt."""
    guild, member = asking.guild_of(caller), asking.member_of(caller, person_id) if person_id else None
    if guild is None or (person_id and member is None):
        return texts_moderators.UNKNOWN
    count = profile_rebuilds.mark_dirty(guild, members=[member] if member else None)
    log("rebuild_asked", guild=guild, actor=caller.steward, now=now, profiles=count)
    return texts_moderators.rebuilding(count)


# --- Undo ----------------------------------------------------------------------------------------------------------


def undo(caller: Caller, *, memory: str, now: datetime) -> str:
    """Take the newest change of any fact that the caller can read back, or the newest merger, edit or end here."""
    facts = _everybodys(caller)
    fact = facts.filter(named(memory, "fact")).first() if memory else undoing.last_changed(facts, by=caller.steward)
    return undoing.take_back(fact, actor=caller.steward, now=now)


def suggest_undo(caller: Caller, *, typed: str) -> list[tuple[str, str]]:
    """Return what could be taken back."""
    return undoing.suggest(_everybodys(caller), typed=typed)


def _everybodys(caller: Caller) -> QuerySet[Fact]:
    guild = asking.guild_of(caller)
    if guild is None:
        return Fact.objects.none()
    told = Q(subject=None) | remembered(guild, "subject__")
    return Fact.objects.filter(caller.can_read(), told, guild=guild)
