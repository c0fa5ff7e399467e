"""The lines of a member's profile at the desk: shown, worded anew, taken out, brought back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from botrunner.actions import caller as asking
from botrunner.actions import texts_members
from botrunner.actions.caller import Caller
from botrunner.actions.memory_ids import named
from memory.curation import entries
from memoryhub.errors import Conflict, Refused
from profiles.models import ProfileEntry


def profile(caller: Caller) -> str:
    """Show the lines of the caller's profile with their marks."""
    shown = asking.lines(caller)
    return texts_members.profile([(entry.pk, entry.get_section_display(), entry.text) for entry in shown])


def reword(caller: Caller, *, line: str, text: str, now: datetime) -> str:
    """Put the caller's own words in a line's place."""
    if not asking.may_be_told(caller):
        return texts_members.NOTHING_NEW
    return _on_line(
        caller,
        line,
        lambda entry: entries.edit_entry(entry, text=text, actor=caller.actor, now=now),
        texts_members.WORDED,
    )


def strike(caller: Caller, *, line: str, now: datetime) -> str:
    """Take a line out; it comes back only if it is said again."""
    return _on_line(
        caller, line, lambda entry: entries.refuse_entry(entry, actor=caller.actor, now=now), texts_members.STRUCK
    )


def restore(caller: Caller, *, line: str, now: datetime) -> str:
    """Show a line again that was taken out."""
    return _on_line(
        caller, line, lambda entry: entries.restore_entry(entry, actor=caller.actor, now=now), texts_members.BACK,
        status=ProfileEntry.Status.REFUSED,
    )  # fmt: skip


def _on_line(
    caller: Caller, line: str, deed: Callable[[ProfileEntry], object], done: str, *,
    status: str = ProfileEntry.Status.SHOWN,
) -> str:  # fmt: skip
    entry = asking.all_lines(caller).filter(named(line, "line", bare="line"), status=status).first()
    if entry is None:
        return texts_members.NOT_YOUR_LINE
    try:
        deed(entry)
    except (Refused, Conflict) as refused:
        return str(refused)
    return done
