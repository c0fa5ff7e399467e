"""What the JSON API gives of channels: summaries, open questions; and of relationships: what their counts rest on."""

from __future__ import annotations

from datetime import date, datetime
from typing import Self

from pydantic import BaseModel, Field

from notes.models import Question, Summary
from notes.summaries import cited
from notes.walking import Encounter
from profiles.graph_schemas import EdgeOut
from profiles.schemas import MemberRef

MOST_CITED = 200


class SummaryOut(BaseModel):
    """What a channel is about, and the ids of the messages that this rests on."""

    text: str
    topics: list[str]
    threads: list[str]
    unresolved: list[str]
    decisions: list[str]
    glossary: list[str]
    from_at: datetime
    to_at: datetime
    generated_at: datetime
    messages: list[str] = Field(description=f"the newest {MOST_CITED}, the newest first")

    @classmethod
    def of(cls, summary: Summary) -> Self:
        """Return the row as the API shows it."""
        plain = {name: getattr(summary, name) for name in cls.model_fields if name != "messages"}
        return cls(**plain, messages=[message.platform_id for message in cited(summary, limit=MOST_CITED)])


class QuestionOut(BaseModel):
    """A question that a channel left open, and the ids of the messages that ask it."""

    id: str
    text: str
    asked_by: MemberRef | None
    asked_at: datetime
    messages: list[str]

    @classmethod
    def of(cls, question: Question) -> Self:
        """Return the row, with its asker and messages loaded, as the API shows it."""
        return cls(
            id=str(question.pk), text=question.text, asked_at=question.asked_at,
            asked_by=MemberRef.of(question.asked_by) if question.asked_by else None,
            messages=[message.platform_id for message in question.messages.all()],
        )  # fmt: skip


class ChannelSummary(BaseModel):
    """A channel lately and over time (null where nothing was written yet), and what it left open.

    `waiting` counts messages since the last summary; `error` and `next_attempt_at` are set after one that failed.
    """

    channel: str
    rolling: SummaryOut | None = None
    profile: SummaryOut | None = None
    questions: list[QuestionOut] = []
    waiting: int = 0
    error: str = ""
    next_attempt_at: datetime | None = None


class EncounterOut(BaseModel):
    """A channel's day on which two members had to do with each other: by which messages, told of by which notes."""

    day: date
    channel: str
    messages: list[str]
    notes: list[str]

    @classmethod
    def of(cls, encounter: Encounter) -> Self:
        """Return the day as the API shows it."""
        return cls(
            day=encounter.day, channel=encounter.channel.platform_id,
            messages=[message.platform_id for message in encounter.messages],
            notes=[str(note.pk) for note in encounter.notes],
        )  # fmt: skip


class RelationshipDetail(BaseModel):
    """What two members have to do with each other (null: nothing that may be told), and what that rests on."""

    edge: EdgeOut | None
    encounters: list[EncounterOut]
