"""What a line of a profile rests on, as numbers: a note's row number; below zero that of a message without a note."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import Q, QuerySet

from notes.models import InteractionNote, Message


def told_in(numbers: Collection[int]) -> QuerySet[Message]:
    """Return the messages that these sources tell, or are."""
    notes, messages = [n for n in numbers if n > 0], [-n for n in numbers if n < 0]
    return Message.objects.filter(Q(notes__in=notes) | Q(pk__in=messages)).exclude(text="").distinct()


def still_there(numbers: Collection[int], *, audience: int | None) -> dict[int, datetime]:
    """Return when each of these sources ended that an entry of this audience may rest on.

    One that was narrowed meanwhile is no ground for an entry that is open to more.
    """
    heard = Q(audience=None) | Q(audience=audience)
    notes = InteractionNote.objects.filter(heard, pk__in=[n for n in numbers if n > 0])
    found = dict(notes.values_list("pk", "ended_at"))
    for message in Message.objects.filter(pk__in=[-n for n in numbers if n < 0], deleted_at=None).select_related(
        "channel"
    ):
        if message.heard_by in (None, audience):
            found[-message.pk] = message.sent_at
    return found
