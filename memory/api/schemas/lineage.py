"""What rests on a message, as the JSON API shows it."""

from __future__ import annotations

import datetime
from typing import Self

from pydantic import BaseModel

from memory.facts.lineage import Derived
from notes.models import Message


class DerivedRow(BaseModel):
    """A row that rests on the message: its id, where the API shows it, and its words."""

    id: str
    text: str


class DerivedNote(DerivedRow):
    """A note that tells of it, or (`topic_cluster`) a topic that such a note is part of."""

    kind: str
    date: datetime.date


class DerivedEntry(DerivedRow):
    """A line of a member's profile that cites such a note."""

    member: str
    section: str


class DerivedSummary(BaseModel):
    """A channel's summary that was written from it, among others."""

    channel: str
    kind: str
    text: str


class DerivedCount(BaseModel):
    """A count of who turned to whom on a day, in which it is counted."""

    source: str
    target: str
    date: datetime.date


class DerivedOut(BaseModel):
    """All that rests on one message; `journal` is the day whose journal tells of it."""

    message_id: str
    facts: list[DerivedRow]
    notes: list[DerivedNote]
    entries: list[DerivedEntry]
    summaries: list[DerivedSummary]
    questions: list[DerivedRow]
    relationships: list[DerivedCount]
    journal: datetime.date | None

    @classmethod
    def of(cls, message: Message, derived: Derived) -> Self:
        """Return what was found as the API shows it."""
        return cls(
            message_id=message.platform_id,
            facts=[DerivedRow(id=str(fact.pk), text=fact.text) for fact in derived.facts],
            notes=[
                DerivedNote(id=str(note.pk), text=note.title, kind=note.kind, date=note.note_date)
                for note in (*derived.notes, *derived.topics)
            ],
            entries=[
                DerivedEntry(
                    id=str(each.pk), text=each.text, section=each.section, member=each.profile.member.platform_id
                )
                for each in derived.entries
            ],
            summaries=[
                DerivedSummary(channel=each.channel.platform_id, kind=each.kind, text=each.text)
                for each in derived.summaries
            ],
            questions=[DerivedRow(id=str(each.pk), text=each.text) for each in derived.questions],
            relationships=[
                DerivedCount(source=each.source.platform_id, target=each.target.platform_id, date=each.day)
                for each in derived.relationship_days
            ],
            journal=derived.journal.day if derived.journal else None,
        )
