"""Runs of the nightly job, model calls, the action log, a guild's numbers and what is parked, as the API gives them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field

from memory.curation import parked
from memory.records.sentences import ACTIONS
from memoryhub.common.pagination import Cursor, Window
from memoryhub.common.schemas import Day, RowOut, via
from memoryhub.errors import pattern
from notes.messages.schemas import EARLIEST, PlatformId, Strict

Purpose = Literal[
    "answer", "channel_profile", "clusters", "consolidation", "embedding", "extraction", "note", "probe", "profile",
    "profile_rebuild", "recap", "reply", "summary",
]  # fmt: skip
"""What models are asked for; a test holds that none is missing."""
BUFFER_ID = pattern(r"^\d{1,18}$", "the id of a conversation, a whole number as text")
Number = Annotated[str, Field(pattern=BUFFER_ID)]


def _since_earliest(day: date) -> date:
    if day < EARLIEST.date():  # pydantic's own limit would be named as Python writes it
        raise ValueError("Must not lie before 1970.")
    return day


class Consolidation(Strict):
    """Which day to consolidate: the last one that ended, if none is named."""

    day: Annotated[Day, AfterValidator(_since_earliest)] | None = None


class Queued(BaseModel):
    """The work was handed to the worker; `GET .../jobs` shows its phases."""

    job: str
    day: date


class JobOut(RowOut):
    """One phase of a guild's nightly job."""

    id: str
    day: date
    phase: str
    status: str
    counts: dict[str, int]
    error: str = via("last_error")
    started_at: datetime
    finished_at: datetime | None


class CallOut(RowOut):
    """One call of a model; never what was said."""

    id: str
    at: datetime
    purpose: str
    model: str
    tokens_in: int
    tokens_out: int
    cost_usd: float
    seconds: float
    outcome: str
    error_class: str


class ActionOut(RowOut):
    """One line of the action log: ids and counts."""

    id: str
    at: datetime
    kind: str
    actor: str
    detail: dict[str, Any]


class ActionFilters(Window):
    """Narrows the action log."""

    kind: Literal[tuple(ACTIONS)] | None = None  # type: ignore[valid-type]


class CallFilters(Window):
    """Narrows the model calls."""

    purpose: Purpose | None = None


class Counts(RowOut):
    """How much is known of the guild: members without bots, messages without deleted ones."""

    channels: int
    members: int
    messages: int
    facts: int
    notes: int


class Queue(RowOut):
    """What is open, waits or was given up; `tasks` counts the whole hub's."""

    open_buffers: int = via("open_count")
    waiting_buffers: int
    oldest_waiting: datetime | None
    unread_messages: int
    parked_buffers: int
    parked_messages: int
    tasks: int = via("queued")


class DayCounts(RowOut):
    """What came in and was learned on a UTC day."""

    day: date
    messages: int
    facts: int
    notes: int


class DayCalls(RowOut):
    """What the models of one purpose used on a UTC day."""

    day: date
    purpose: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float


class LeftOutCount(RowOut):
    """How often something was left out for a reason in the last 30 days; `kind` is message or candidate."""

    kind: str
    reason: str
    count: int


class Stats(RowOut):
    """The numbers of a guild; lists of days are oldest first."""

    counts: Counts = via("totals")
    queue: Queue = via("activity")
    days: list[DayCounts]
    model_calls: list[DayCalls] = via("calls")
    left_out: list[LeftOutCount]


# --- What was given up: ids, counts and reasons, no text -----------------------------------------------------------


class ParkedMessage(RowOut):
    """A message that could not be read for facts."""

    id: str = via("platform_id")
    channel: str = via("channel", "platform_id")
    member: str = via("author", "platform_id")
    sent_at: datetime
    parked_at: datetime | None
    reason: str = via("last_error")


class ParkedBuffer(RowOut):
    """A conversation that could not be read for notes and memories; `step` is where it stopped."""

    id: str
    channel: str = via("channel", "platform_id")
    messages: int = via("message_count")
    step: str
    last_message_at: datetime
    parked_at: datetime | None
    reason: str = via("last_error")


class ParkedWindow(BaseModel):
    """How many of each, and where the page before ended."""

    limit: int = Field(default=parked.SHOWN, ge=1, le=200)
    messages_cursor: Cursor | None = None
    buffers_cursor: Cursor | None = None


class ParkedOut(RowOut):
    """All counted, and a page of each, the newest first; the cursors say where to go on, unless that was all."""

    message_count: int
    buffer_count: int
    messages: list[ParkedMessage]
    buffers: list[ParkedBuffer]
    next_messages_cursor: str | None = via("next_message")
    next_buffers_cursor: str | None = via("next_buffer")


class Replay(Strict):
    """Which to try again, by id; with neither, all."""

    messages: Annotated[list[PlatformId], Field(max_length=1_000)] | None = None
    buffers: Annotated[list[Number], Field(max_length=1_000)] | None = None


class ReplayedOut(RowOut):
    """How many will be tried again."""

    messages: int
    buffers: int
