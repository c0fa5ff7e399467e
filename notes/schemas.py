"""What the JSON API gives of notes and profiles."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, Field

from memoryhub.paging import Window
from notes.models import InteractionNote
from profiles.models import ProfileEntry
from profiles.schemas import MemberRef

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def _written_out(value: object) -> object:
    """Take no numbers: pydantic would count seconds from 1970."""
    if not isinstance(value, str) or not _ISO.fullmatch(value):
        raise ValueError("a day is written as 2026-02-23")
    return date.fromisoformat(value)


Day = Annotated[date, BeforeValidator(_written_out)]


class NoteFilters(Window):
    """Narrows a list of notes; days are the guild's own."""

    kind: Literal["conversation", "topic_cluster"] | None = None
    member: str | None = Field(default=None, max_length=200, description="who took part")
    channel: str | None = Field(default=None, max_length=200)
    since: Day | None = Field(default=None, alias="from")
    until: Day | None = Field(default=None, alias="to", description="this day included")


class NoteOut(BaseModel):
    """What happened; `audience` is null for the whole guild, else the channel whose readers may know it."""

    id: str
    kind: str
    title: str
    summary: str
    date: date
    channel: str | None
    audience: str | None
    participants: list[MemberRef]
    started_at: datetime
    ended_at: datetime

    @classmethod
    def of(cls, note: InteractionNote) -> Self:
        """Return the row, with its channel, audience and participants loaded, as the API shows it."""
        return cls(
            id=str(note.pk), kind=note.kind, title=note.title, summary=note.summary, date=note.note_date,
            channel=note.channel.platform_id if note.channel else None,
            audience=note.audience.platform_id if note.audience else None,
            participants=[MemberRef.of(member) for member in note.participants.all()],
            started_at=note.started_at, ended_at=note.ended_at,
        )  # fmt: skip


class NoteDetail(NoteOut):
    """A note with what it rests on: messages, or the notes of a topic."""

    messages: list[str] = []
    notes: list[str] = []


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
