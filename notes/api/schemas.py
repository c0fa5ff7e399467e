"""What the JSON API takes and gives about notes, summaries and open questions."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal, Self

from pydantic import BaseModel, Field

from memoryhub.common.pagination import Window
from memoryhub.common.schemas import Day, MemberRef
from notes.models import InteractionNote, Question, Summary
from notes.summaries.summarize import cited

MOST_CITED = 200


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
