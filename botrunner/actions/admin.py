"""What moderators may see and do; the commands have checked their permission."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from botrunner.actions import texts_moderators
from botrunner.actions.caller import Caller, guild_of, member_of
from botrunner.actions.memory import last_changed, suggest_changes, undo_newest
from botrunner.actions.memory_ids import has_id
from memory.curation.statistics import overview
from memory.jobs import profile_rebuilds
from memory.models import Fact, FactQuerySet
from memory.records.action_log import log
from memoryhub.community.querysets import remembered
from notes.messages import conversations


def numbers(caller: Caller, *, now: datetime) -> str:
    """Show how much is known and what waits."""
    guild = guild_of(caller)
    return texts_moderators.overview(overview(guild, now=now)) if guild else texts_moderators.UNKNOWN_GUILD


def digest(caller: Caller, *, now: datetime) -> str:
    """End every open conversation now; its digest is the worker's next work."""
    guild = guild_of(caller)
    if guild is None:
        return texts_moderators.UNKNOWN_GUILD
    ended = conversations.close_all(guild=guild, now=now)
    log("digest_asked", guild=guild, actor=caller.moderator, now=now, conversations=ended)
    return texts_moderators.DIGESTING.format(count=ended)


def rebuild(caller: Caller, *, person_id: str, now: datetime) -> str:
    """Have the profile of a member, or of everybody, rebuilt."""
    guild, member = guild_of(caller), member_of(caller, person_id) if person_id else None
    if guild is None:
        return texts_moderators.UNKNOWN_GUILD
    if person_id and member is None:
        return texts_moderators.UNKNOWN
    count = profile_rebuilds.mark_dirty(guild, members=[member] if member else None)
    log("rebuild_asked", guild=guild, actor=caller.moderator, now=now, profiles=count)
    return texts_moderators.REBUILDING.format(count=count) if count else texts_moderators.NOTHING_TO_REBUILD


def undo(caller: Caller, *, memory: str, now: datetime) -> str:
    """Undo the newest change of any fact that the caller can read, or the newest merger, edit or end here."""
    facts = _facts_of_everybody(caller)
    named = facts.filter(has_id(memory, "fact")).first()
    fact = named if memory else last_changed(facts, by=caller.moderator)
    return undo_newest(fact, actor=caller.moderator, now=now)


def suggest_undo(caller: Caller, *, typed: str) -> list[tuple[str, str]]:
    """Return what could be undone."""
    return suggest_changes(_facts_of_everybody(caller), typed=typed)


def _facts_of_everybody(caller: Caller) -> FactQuerySet:
    guild = guild_of(caller)
    if guild is None:
        return Fact.objects.none()
    shown = Q(subject=None) | remembered(guild, "subject__")
    return Fact.objects.filter(caller.can_read(), shown, guild=guild)
