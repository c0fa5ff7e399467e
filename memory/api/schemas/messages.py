"""Messages as the JSON API takes them in and answers for them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field

from memory.pipeline import Received
from notes.messages.schemas import MAX_TEXT, IncomingMessage, Strict, Text
from notes.models import Message

MOST_MESSAGES = 1_000


class ReceivedOut(BaseModel):
    """What became of a message."""

    id: str
    status: Literal["stored", "duplicate", "ignored"]
    reason: str | None = Field(
        default=None, description="why it was ignored: memory_off, channel_off, blocked, opted_out, erased, empty"
    )

    @classmethod
    def of(cls, received: Received) -> Self:
        """Return the pipeline's answer as the API shows it."""
        return cls(id=received.id, status=received.status, reason=received.reason or None)


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
    sent_at: datetime
    edited_at: datetime | None
    deleted_at: datetime | None
    let_go_at: datetime | None

    @classmethod
    def of(cls, message: Message) -> Self:
        """Return the row as the API shows it."""
        return cls(
            id=message.platform_id, channel=message.channel.platform_id, author=message.author.platform_id,
            text="" if message.absence else message.text, sent_at=message.sent_at,
            edited_at=message.edited_at, deleted_at=message.deleted_at,
            let_go_at=message.let_go_at,
        )  # fmt: skip
