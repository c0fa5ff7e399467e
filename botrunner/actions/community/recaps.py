"""Recaps for who manages a server: how they are set, where the last one stands, and a draft of the last days."""

from __future__ import annotations

from datetime import datetime

from botrunner.actions import texts_members, texts_moderators
from botrunner.actions.caller import Caller, guild_of
from botrunner.actions.community import texts_recap
from memory.models import Recap
from memory.recaps import recap_writing
from memory.recaps.recap_periods import next_time


def show(caller: Caller, *, now: datetime) -> str:
    """Show how recaps are set, and where the last one stands."""
    guild = guild_of(caller)
    if guild is None:
        return texts_moderators.UNKNOWN_GUILD
    last = Recap.objects.of(guild).select_related("guild").order_by("-pk").first()
    return texts_recap.state(guild, last, next_at=next_time(guild, now=now))


def write(caller: Caller, *, days: int, now: datetime) -> str:
    """Write a draft of the last days; it may ask a model once."""
    guild = guild_of(caller)
    if guild is None:
        return texts_moderators.UNKNOWN_GUILD
    if not guild.memory_on:
        return texts_members.MEMORY_OFF
    recap = recap_writing.write_asked(guild, days=days, actor=caller.moderator, now=now)
    return texts_recap.written(recap, days=days)
