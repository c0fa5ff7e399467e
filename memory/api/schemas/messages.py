"""Messages as the JSON API takes them in and answers for them, and what rests on one."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from memory.facts.lineage import Derived
from memoryhub.common.schemas import RowOut, via
from notes.messages.schemas import MAX_TEXT, IncomingMessage, Strict, Text
from notes.models import Message

MOST_MESSAGES = 1_000


class ReceivedOut(RowOut):
    """What became of a message; `reason` is left out where there is none."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    id: str
    status: Literal["stored", "duplicate", "ignored"]
    reason: Annotated[str | None, BeforeValidator(lambda reason: reason or None)] = Field(
        default=None, description="why it was ignored: memory_off, channel_off, blocked, opted_out, erased, empty"
    )


class Batch(Strict):
    """Messages of one guild, in order."""

    messages: Annotated[list[IncomingMessage], Field(min_length=1, max_length=MOST_MESSAGES)]


class BatchOut(BaseModel):
    """What became of each."""

    stored: int
    duplicate: int
    ignored: int
    results: list[ReceivedOut]


class Edit(Strict):
    """The new text; an empty one takes the message away."""

    text: Annotated[str, Text, Field(max_length=MAX_TEXT)]


class MessageOut(BaseModel):
    """A message as it is kept."""

    id: str
    channel: str
    author: str
    text: str
    sent_at: datetime.datetime
    edited_at: datetime.datetime | None
    deleted_at: datetime.datetime | None
    let_go_at: datetime.datetime | None

    @classmethod
    def of(cls, message: Message) -> Self:
        """Return the row as the API shows it."""
        return cls(
            id=message.platform_id, channel=message.channel.platform_id, author=message.author.platform_id,
            text="" if message.absence else message.text, sent_at=message.sent_at,
            edited_at=message.edited_at, deleted_at=message.deleted_at,
            let_go_at=message.let_go_at,
        )  # fmt: skip


# --- What rests on a message ---------------------------------------------------------------------------------------


class DerivedRow(RowOut):
    """A row that rests on the message: its id, where the API shows it, and its words."""

    id: str
    text: str


class DerivedNote(DerivedRow):
    """A note that tells of it, or (`topic_cluster`) a topic that such a note is part of."""

    text: str = via("title")
    kind: str
    date: datetime.date = via("note_date")


class DerivedEntry(DerivedRow):
    """A line of a member's profile that cites such a note."""

    member: str = via("profile", "member", "platform_id")
    section: str


class DerivedSummary(RowOut):
    """A channel's summary that was written from it, among others."""

    channel: str = via("channel", "platform_id")
    kind: str
    text: str


class DerivedCount(RowOut):
    """A count of who turned to whom on a day, in which it is counted."""

    source: str = via("source", "platform_id")
    target: str = via("target", "platform_id")
    date: datetime.date = via("day")


class DerivedOut(RowOut):
    """All that rests on one message; `journal` is the day whose journal tells of it."""

    message_id: str
    facts: list[DerivedRow]
    notes: list[DerivedNote]
    entries: list[DerivedEntry]
    summaries: list[DerivedSummary]
    questions: list[DerivedRow]
    relationships: list[DerivedCount] = via("relationship_days")
    journal: Annotated[datetime.date | None, BeforeValidator(lambda journal: journal and journal.day)]

    @classmethod
    def show(cls, message: Message, derived: Derived) -> Self:
        """Return what was found as the API shows it."""
        notes = [*derived.notes, *derived.topics]
        return cls.model_validate({**vars(derived), "message_id": message.platform_id, "notes": notes})
