"""The moment a bot asks, and what it is handed."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field

from memory.context import DEFAULT_TOKENS, Context, Part
from memory.parts import Item
from memory.schemas.asking import SourceOut
from notes.incoming import MAX_TEXT, PlatformId, Strict, Text


class TurnIn(Strict):
    """Where, among whom, what was said, how much the bot can read and in which form."""

    channel: PlatformId | None = None
    members: list[PlatformId] = Field(default=[], max_length=100)
    mentions: list[PlatformId] = Field(default=[], max_length=100)
    text: Annotated[str, Text, Field(max_length=MAX_TEXT)] = ""
    max_tokens: Annotated[int, Field(ge=1, le=100_000)] = DEFAULT_TOKENS
    format: Literal["xml", "markdown", "json"] = "xml"


class ItemOut(BaseModel):
    """One line of the context; `about` names the member it is about or who said it."""

    text: str
    about: str
    section: str
    at: datetime | date | None
    score: float
    sources: list[SourceOut]

    @classmethod
    def of(cls, item: Item) -> Self:
        """Return the item as the API shows it."""
        sources = [SourceOut.of(source) for source in item.sources]
        return cls(
            text=item.text, about=item.about, section=item.section, at=item.at, score=item.score, sources=sources
        )


class PartOut(BaseModel):
    """A part of the context as it went in, and how many of its items did not fit."""

    name: str
    tokens: int
    dropped: int
    items: list[ItemOut]

    @classmethod
    def of(cls, part: Part) -> Self:
        """Return the part as the API shows it."""
        items = [ItemOut.of(item) for item in part.items]
        return cls(name=part.name, tokens=part.tokens, dropped=part.dropped, items=items)


class ContextOut(BaseModel):
    """What the bot is handed, and what it rests on."""

    text: str
    tokens: int
    parts: list[PartOut]
    sources: list[SourceOut]

    @classmethod
    def of(cls, context: Context) -> Self:
        """Return the context as the API shows it."""
        return cls(
            text=context.text, tokens=context.tokens, parts=[PartOut.of(part) for part in context.parts],
            sources=[SourceOut.of(source) for source in context.sources],
        )  # fmt: skip
