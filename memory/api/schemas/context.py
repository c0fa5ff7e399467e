"""The moment a bot asks, and what it is handed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

from memory.context.builder import DEFAULT_TOKENS, MOST_TOKENS, Format, Preset, Role
from memory.context.items import Item, Why
from memory.recall.results import Source
from memoryhub.common.schemas import RowOut
from notes.messages.schemas import MAX_TEXT, Moment, PlatformId, Strict, Text, Whole

MAX_BASE = 100_000  # characters


class SaidIn(Strict):
    """One message of the caller's own transcript; `name` says which user spoke."""

    role: Literal["user", "assistant"] = "user"
    name: Annotated[str, Text, Field(max_length=200)] = ""
    text: Annotated[str, Text, Field(max_length=MAX_TEXT)]
    at: Moment | None = None

    def item(self) -> Item:
        """Return it as a line of the context."""
        return Item(text=self.text, kind="said", about=self.name, at=self.at, role=self.role)


class TurnIn(Strict):
    """Where, among whom, what was said, how much the bot can read and in which form.

    The first of `members` is the author of `text`. `base` is the caller's own system text; `transcript`, oldest first,
    takes the place of the channel's own. `memory_role` says where memory stands in the format `messages`. `as_of`
    asks for what was believed then, from what had been said by then.
    """

    channel: PlatformId | None = None
    members: list[PlatformId] = Field(default=[], max_length=100)
    mentions: list[PlatformId] = Field(default=[], max_length=100)
    text: Annotated[str, Text, Field(max_length=MAX_TEXT)] = ""
    max_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS), Whole] = DEFAULT_TOKENS
    format: Format = "xml"
    base: Annotated[str, Text, Field(max_length=MAX_BASE)] = ""
    transcript: Annotated[list[SaidIn], Field(max_length=200)] | None = None
    memory_role: Role = "system"
    preset: Preset = "default"
    as_of: Moment | None = None


def _in_utc(at: object) -> object:
    """A bot reads times by the guild's clock; the API gives them in UTC."""
    return at.astimezone(UTC) if isinstance(at, datetime) else at


class ItemOut(RowOut):
    """One line of the context; `about` names the member it is about or who said it, `kind` and `id` what it was."""

    text: str
    kind: str
    id: str | None
    about: str
    member: str
    section: str
    at: Annotated[datetime | date | None, BeforeValidator(_in_utc)]
    score: float
    scores: Mapping[str, float]
    tokens: int
    sources: list[Source]


class PartOut(RowOut):
    """A part of the context as it went in, and how many of its items did not fit.

    `minimum` and `cap` are the tokens that it has for certain and at most.
    """

    name: str
    priority: str
    tokens: int
    minimum: int
    cap: int
    dropped: int
    items: list[ItemOut]


class LeftOutOut(RowOut):
    """Something that was found and did not go in, and why."""

    part: str
    why: Why
    because: str
    item: ItemOut


class ChatMessageOut(BaseModel):
    """One message for a chat model."""

    role: str
    content: str


class ContextOut(RowOut):
    """What the bot is handed, and what it rests on; `messages` only in that format, `notice` only if something was cut.

    Tokens are an estimate that leans to the high side.
    """

    text: str
    tokens: int
    parts: list[PartOut]
    sources: list[Source]
    notice: str
    left_out: list[LeftOutOut]
    messages: list[ChatMessageOut] | None
