"""Runs of the nightly job, model calls, the action log and the numbers of a guild as the JSON API gives them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Self

from pydantic import BaseModel, Field

from memory.curation.statistics import Overview
from memory.models import JobRun
from memoryhub.common.pagination import Window
from memoryhub.common.schemas import Day, RowOut
from notes.messages.schemas import EARLIEST, Strict


class Consolidation(Strict):
    """Which day to consolidate: the last one that ended, if none is named."""

    day: Day | None = Field(default=None, ge=EARLIEST.date())


class Queued(BaseModel):
    """The work was handed to the worker; `GET .../jobs` shows its phases."""

    job: str
    day: date


class JobOut(BaseModel):
    """One phase of a guild's nightly job."""

    id: str
    day: date
    phase: str
    status: str
    counts: dict[str, int]
    error: str
    started_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, run: JobRun) -> Self:
        """Return the row as the API shows it."""
        return cls(
            id=str(run.pk), day=run.day, phase=run.phase, status=run.status, counts=run.counts, error=run.last_error,
            started_at=run.started_at, finished_at=run.finished_at,
        )  # fmt: skip


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

    kind: str | None = Field(default=None, max_length=40)


class CallFilters(Window):
    """Narrows the model calls."""

    purpose: str | None = Field(default=None, max_length=40)


class Counts(BaseModel):
    """How much is known of the guild."""

    channels: int
    members: int
    messages: int
    facts: int
    notes: int


class Queue(BaseModel):
    """What is open, waits or was given up; `tasks` counts the whole hub's."""

    open_buffers: int
    waiting_buffers: int
    oldest_waiting: datetime | None
    unread_messages: int
    parked_buffers: int
    parked_messages: int
    tasks: int


class DayCounts(BaseModel):
    """What came in and was learned on a UTC day."""

    day: date
    messages: int
    facts: int
    notes: int


class DayCalls(BaseModel):
    """What the models of one purpose used on a UTC day."""

    day: date
    purpose: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float


class LeftOutCount(BaseModel):
    """How often something was left out for a reason in the last 30 days; `kind` is message or candidate."""

    kind: str
    reason: str
    count: int


class Stats(BaseModel):
    """The numbers of a guild; lists of days are oldest first."""

    counts: Counts
    queue: Queue
    days: list[DayCounts]
    model_calls: list[DayCalls]
    left_out: list[LeftOutCount]

    @classmethod
    def of(cls, seen: Overview) -> Self:
        """Return the overview as the API shows it."""
        known, doing = seen.totals, seen.activity
        return cls(
            counts=Counts.model_validate(known, from_attributes=True),
            queue=Queue(
                open_buffers=doing.open_count, waiting_buffers=doing.waiting_buffers,
                oldest_waiting=doing.oldest_waiting, unread_messages=doing.unread_messages,
                parked_buffers=doing.parked_buffers, parked_messages=doing.parked_messages, tasks=doing.queued,
            ),
            days=[DayCounts.model_validate(day, from_attributes=True) for day in seen.days],
            model_calls=[DayCalls.model_validate(row, from_attributes=True) for row in seen.calls],
            left_out=[LeftOutCount.model_validate(row, from_attributes=True) for row in seen.left_out],
        )  # fmt: skip
