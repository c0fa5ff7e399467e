"""What the JSON API gives of profiles."""

from __future__ import annotations

from datetime import date, datetime
from typing import Self

from pydantic import BaseModel

from profiles.models import ProfileEntry


class EntryNote(BaseModel):
    """A note that a line of a profile cites."""

    note_id: str
    title: str
    date: date


class EntryOut(BaseModel):
    """One line of a profile; `audience` as with notes, `pinned` if it is a person's own wording."""

    id: str
    section: str
    text: str
    pinned: bool
    status: str
    audience: str | None
    sources: list[EntryNote]

    @classmethod
    def of(cls, entry: ProfileEntry) -> Self:
        """Return the row, with its audience, its sources and their notes loaded, as the API shows it."""
        notes = [each.note for each in entry.sources.all()]
        return cls(
            id=str(entry.pk), section=entry.section, text=entry.text, pinned=entry.pinned, status=entry.status,
            audience=entry.audience.platform_id if entry.audience else None,
            sources=[EntryNote(note_id=str(note.pk), title=note.title, date=note.note_date) for note in notes],
        )  # fmt: skip


class ProfileOut(BaseModel):
    """What a member is like."""

    sections: dict[str, list[EntryOut]]
    summary: str
    updated_at: datetime | None
