"""Who knows about something, as the JSON API tells it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field

from memory.api.schemas.search import LONGEST_QUESTION
from memory.expertise.who_knows import MOST, Knower
from memory.recall.results import Memory, Source
from notes.messages.schemas import Text


class WhoFilters(BaseModel):
    """What somebody should know about; without a channel only what the whole guild may know counts."""

    q: Annotated[str, Text, Field(min_length=1, max_length=LONGEST_QUESTION)]
    channel: str | None = Field(default=None, max_length=200, description="where the answer is to be used")
    limit: int = Field(default=10, ge=1, le=MOST)


class ToldOut(BaseModel):
    """A fact about the member, or a sentence of a message of theirs, and their own words that it rests on."""

    kind: Literal["fact", "message"]
    id: str
    text: str
    score: float
    created_at: datetime
    sources: list[Source]

    @classmethod
    def of(cls, memory: Memory) -> Self:
        """Return it as the API shows it."""
        return cls(
            kind="fact" if memory.kind == "fact" else "message", id=str(memory.id), text=memory.text,
            score=memory.score, created_at=memory.created_at,
            sources=memory.sources,
        )  # fmt: skip


class KnowerOut(BaseModel):
    """A member who told of it, and the best of what they told."""

    member: str
    member_name: str
    told: list[ToldOut]

    @classmethod
    def of(cls, found: Knower) -> Self:
        """Return it as the API shows it."""
        told = [ToldOut.of(memory) for memory in found.told]
        return cls(member=found.member.platform_id, member_name=str(found.member), told=told)


class KnowersOut(BaseModel):
    """Members, best first; empty where nobody told of it who may be found."""

    items: list[KnowerOut]
    next_cursor: str | None = None
