"""Recaps as the JSON API takes and tells them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field

from memory.models import Recap, RecapLine
from memory.recaps.recap_writing import MOST_DAYS
from memoryhub.common.pagination import Window
from notes.messages.schemas import Strict, Whole

SourceKind = Literal["note", "message", "fact", "member"]


class RecapWindow(Window):
    """How many recaps: each comes with its lines."""

    limit: int = Field(default=10, ge=1, le=50)


class RecapIn(Strict):
    """Of how many days up to now."""

    days: Annotated[int, Field(ge=1, le=MOST_DAYS), Whole] = 7


class RecapSource(BaseModel):
    """What a line rests on: the platform's id of a message or a member, else the row's id here."""

    kind: SourceKind
    id: str


class RecapLineOut(BaseModel):
    """A line under its heading; numbers rest on nothing that could go."""

    section: Literal["happened", "decided", "planned", "joined", "lore", "day", "numbers"]
    text: str
    source: RecapSource | None

    @classmethod
    def of(cls, line: RecapLine) -> Self:
        """Return it as the API shows it."""
        return cls.model_validate({"section": line.section, "text": line.text, "source": _source(line)})


class RecapOut(BaseModel):
    """What is told of a stretch of time; `channel` and `message_id` are where it was posted, or is to be."""

    id: str
    every: Literal["weekly", "monthly", "asked"]
    status: Literal["draft", "waiting", "posted", "discarded", "empty"]
    since: datetime
    until: datetime
    intro: str
    lines: list[RecapLineOut]
    channel: str | None
    message_id: str | None
    error: str
    created_at: datetime
    posted_at: datetime | None

    @classmethod
    def of(cls, recap: Recap, lines: Sequence[RecapLine]) -> Self:
        """Return the recap with those of its lines that may be told."""
        plain = ("every", "status", "since", "until", "intro", "created_at", "posted_at")
        return cls.model_validate(
            {name: getattr(recap, name) for name in plain}
            | {
                "id": str(recap.pk), "lines": [RecapLineOut.of(line) for line in lines],
                "channel": recap.channel_id or None, "message_id": recap.message_id or None, "error": recap.last_error,
            }
        )  # fmt: skip


def _source(line: RecapLine) -> RecapSource | None:
    if line.message:
        return RecapSource(kind="message", id=line.message.platform_id)
    if line.member:
        return RecapSource(kind="member", id=line.member.platform_id)
    if line.note_id:
        return RecapSource(kind="note", id=str(line.note_id))
    return RecapSource(kind="fact", id=str(line.fact_id)) if line.fact_id else None
