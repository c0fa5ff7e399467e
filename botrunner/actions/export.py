"""A copy of all that is stored of the caller."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from botrunner.actions.caller import Caller, member_of
from memory.erasure.export import export_member, file_name, log_export
from memory.models import Action

A_MINUTE = timedelta(minutes=1)


class TooSoon(Exception):
    """The caller was handed a copy less than a minute ago: making one reads everything of theirs."""


def export(caller: Caller, folder: Path, *, now: datetime) -> Path | None:
    """Write all that is stored of the caller into a zip in the folder; None if nothing is. Raises TooSoon."""
    member = member_of(caller)
    if member is None:
        return None
    lately = Action.objects.filter(kind="member_export", guild=member.guild, at__gt=now - A_MINUTE)
    if lately.filter(actor=caller.actor, detail__member=member.pk).exists():
        raise TooSoon
    log_export(member, actor=caller.actor, now=now)
    return export_member(member, now=now, into=folder / file_name(member, now=now))
