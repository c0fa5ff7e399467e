"""What is parked, as the JSON API shows it: ids, counts, reasons, no text."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from pydantic import BaseModel, Field

from memory.curation import parked
from memoryhub.common.pagination import RowId
from notes.messages.schemas import PlatformId, Strict
from notes.models import ChannelBuffer, Message

Number = Annotated[str, Field(pattern=r"^\d{1,18}$")]


class ParkedMessage(BaseModel):
    """A message that could not be read for facts."""

    id: str
    channel: str
    member: str
    sent_at: datetime
    parked_at: datetime | None
    reason: str

    @classmethod
    def of(cls, row: Message) -> Self:
        """Return the row as the API shows it."""
        return cls(
            id=row.platform_id, channel=row.channel.platform_id, member=row.author.platform_id, sent_at=row.sent_at,
            parked_at=row.parked_at, reason=row.last_error,
        )  # fmt: skip


class ParkedBuffer(BaseModel):
    """A conversation that could not be digested; `step` is where it stopped."""

    id: str
    channel: str
    messages: int
    step: str
    last_message_at: datetime
    parked_at: datetime | None
    reason: str

    @classmethod
    def of(cls, row: ChannelBuffer) -> Self:
        """Return the row as the API shows it."""
        return cls(
            id=str(row.pk), channel=row.channel.platform_id, messages=row.message_count, step=row.step,
            last_message_at=row.last_message_at, parked_at=row.parked_at, reason=row.last_error,
        )  # fmt: skip


class ParkedWindow(BaseModel):
    """How many of each, and where the page before ended."""

    limit: int = Field(default=parked.SHOWN, ge=1, le=200)
    messages_cursor: RowId | None = None
    buffers_cursor: RowId | None = None


class ParkedOut(BaseModel):
    """All counted, and a page of each, the newest first; the cursors say where to go on, unless that was all."""

    message_count: int
    buffer_count: int
    messages: list[ParkedMessage]
    buffers: list[ParkedBuffer]
    next_messages_cursor: str | None = None
    next_buffers_cursor: str | None = None

    @classmethod
    def of(cls, page: parked.Parked) -> Self:
        """Return what is parked as the API shows it."""
        return cls(
            message_count=page.message_count, buffer_count=page.buffer_count,
            messages=[ParkedMessage.of(row) for row in page.messages],
            buffers=[ParkedBuffer.of(row) for row in page.buffers],
            next_messages_cursor=None if page.next_message is None else str(page.next_message),
            next_buffers_cursor=None if page.next_buffer is None else str(page.next_buffer),
        )  # fmt: skip


class Replay(Strict):
    """Which to try again, by id; with neither, all."""

    messages: Annotated[list[PlatformId], Field(max_length=1_000)] | None = None
    buffers: Annotated[list[Number], Field(max_length=1_000)] | None = None


class ReplayedOut(BaseModel):
    """How many will be tried again."""

    messages: int
    buffers: int
