"""What members may do with the entries of their profile: see, reword, take out, bring back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from botrunner.actions import texts_members
from botrunner.actions.caller import Caller, all_entries_of, entries_of, may_store
from botrunner.actions.memory_ids import has_id
from memory.curation import entries
from memoryhub.errors import Conflict, Refused
from profiles.models import ProfileEntry


def show_profile(caller: Caller) -> str:
    """Show the entries of the caller's profile with their ids."""
    shown = entries_of(caller)
    return texts_members.profile([(entry.pk, entry.get_section_display(), entry.text) for entry in shown])


def reword(caller: Caller, *, entry_id: str, text: str, now: datetime) -> str:
    """Put the caller's own words in an entry's place."""
    if not may_store(caller):
        return texts_members.NOTHING_NEW
    return _change(
        caller, entry_id, lambda entry: entries.edit_entry(entry, text=text, actor=caller.actor, now=now),
        done=texts_members.WORDED,
    )  # fmt: skip


def remove(caller: Caller, *, entry_id: str, now: datetime) -> str:
    """Take an entry out; it comes back only if it is said again."""
    return _change(
        caller, entry_id, lambda entry: entries.refuse_entry(entry, actor=caller.actor, now=now),
        done=texts_members.STRUCK,
    )  # fmt: skip


def restore(caller: Caller, *, entry_id: str, now: datetime) -> str:
    """Show an entry again that was taken out."""
    return _change(
        caller, entry_id, lambda entry: entries.restore_entry(entry, actor=caller.actor, now=now),
        done=texts_members.BACK, status=ProfileEntry.Status.REFUSED,
    )  # fmt: skip


def _change(
    caller: Caller, entry_id: str, change: Callable[[ProfileEntry], object], *, done: str,
    status: str = ProfileEntry.Status.SHOWN,
) -> str:  # fmt: skip
    entry = all_entries_of(caller).filter(has_id(entry_id, "entry", default="entry"), status=status).first()
    if entry is None:
        return texts_members.NOT_YOUR_LINE
    try:
        change(entry)
    except (Refused, Conflict) as error:
        return str(error)
    return done
