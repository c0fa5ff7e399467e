"""What somebody missed, as the JSON API tells it."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from pydantic import BaseModel, Field

from memory.catchup.catching_up import CaughtUp, Kind, Missed
from memory.recall.results import Source
from notes.messages.schemas import MomentInAddress


class CatchUpFilters(BaseModel):
    """Who was away, since when, and where it will be read; without a channel only what the whole guild may know."""

    member: str | None = Field(default=None, max_length=200, description="what concerns them, since they last spoke")
    since: MomentInAddress | None = Field(default=None, description="since then instead")
    channel: str | None = Field(default=None, max_length=200, description="only what was said there")


class MissedOut(BaseModel):
    """One thing: a mention, an answer to a question of theirs, a decision, what is talked about, a topic that ended."""

    kind: Kind
    text: str
    at: datetime
    channel: str | None
    members: list[str]
    sources: list[Source]

    @classmethod
    def of(cls, missed: Missed) -> Self:
        """Return it as the API shows it."""
        return cls(
            kind=missed.kind, text=missed.text, at=missed.at, members=list(missed.members),
            channel=missed.channel.platform_id if missed.channel else None,
            sources=list(missed.sources),
        )  # fmt: skip


class CaughtUpOut(BaseModel):
    """What was missed since a moment, what concerns the member first."""

    items: list[MissedOut]
    since: datetime

    @classmethod
    def of(cls, found: CaughtUp) -> Self:
        """Return it as the API shows it."""
        return cls(items=[MissedOut.of(each) for each in found.items], since=found.since)
