"""The moment a bot asks, and what it is handed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field

from memory.api.schemas.search import SourceOut
from memory.context.builder import DEFAULT_TOKENS, Context, Format, Part, Preset, Role
from memory.context.items import Item, LeftOut, Why
from notes.messages.schemas import MAX_TEXT, Moment, PlatformId, Strict, Text

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
    max_tokens: Annotated[int, Field(ge=1, le=100_000)] = DEFAULT_TOKENS
    format: Format = "xml"
    base: Annotated[str, Text, Field(max_length=MAX_BASE)] = ""
    transcript: Annotated[list[SaidIn], Field(max_length=200)] | None = None
    memory_role: Role = "system"
    preset: Preset = "default"
    as_of: Moment | None = None


class ItemOut(BaseModel):
    """One line of the context; `about` names the member it is about or who said it, `kind` and `id` what it was."""

    text: str
    kind: str
    id: int | str | None
    about: str
    member: str
    section: str
    at: datetime | date | None
    score: float
    scores: Mapping[str, float]
    tokens: int
    sources: list[SourceOut]

    @classmethod
    def of(cls, item: Item) -> Self:
        """Return the item as the API shows it."""
        return cls(
            text=item.text, kind=item.kind, id=item.id, about=item.about, member=item.member, section=item.section,
            at=item.at, score=item.score, scores=item.scores, tokens=item.tokens,
            sources=[SourceOut.of(source) for source in item.sources],
        )  # fmt: skip


class PartOut(BaseModel):
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

    @classmethod
    def of(cls, part: Part) -> Self:
        """Return the part as the API shows it."""
        return cls(
            name=part.name, priority=part.priority, tokens=part.tokens, minimum=part.minimum, cap=part.cap,
            dropped=part.dropped, items=[ItemOut.of(item) for item in part.items],
        )  # fmt: skip


class LeftOutOut(BaseModel):
    """Something that was found and did not go in, and why."""

    part: str
    why: Why
    because: str
    item: ItemOut

    @classmethod
    def of(cls, left_out: LeftOut) -> Self:
        """Return it as the API shows it."""
        item = ItemOut.of(left_out.item)
        return cls(part=left_out.part, why=left_out.why, because=left_out.because, item=item)


class ChatMessageOut(BaseModel):
    """One message for a chat model."""

    role: str
    content: str


class ContextOut(BaseModel):
    """What the bot is handed, and what it rests on; `messages` only in that format, `notice` only if something was cut.

    Tokens are an estimate that leans to the high side.
    """

    text: str
    tokens: int
    parts: list[PartOut]
    sources: list[SourceOut]
    notice: str
    left_out: list[LeftOutOut]
    messages: list[ChatMessageOut] | None

    @classmethod
    def of(cls, context: Context) -> Self:
        """Return the context as the API shows it."""
        messages = context.messages
        return cls(
            text=context.text, tokens=context.tokens, parts=[PartOut.of(part) for part in context.parts],
            sources=[SourceOut.of(source) for source in context.sources], notice=context.notice,
            left_out=[LeftOutOut.of(each) for each in context.left_out],
            messages=None if messages is None else [ChatMessageOut(**each) for each in messages],
        )  # fmt: skip
