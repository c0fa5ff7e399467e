"""Questions to memory and what is found."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, Field

from memory.recall.results import Memory, Source
from notes.messages.schemas import MomentInAddress, Text

Kind = Literal["fact", "note", "message"]
MOST_RESULTS = 24
LONGEST_QUESTION = 2_000  # characters; `memoryhub.server.gunicorn_conf` leaves room for them in an address


def _listed(value: object) -> object:
    """Take kinds as one word, as words with commas, or as the parameter given several times."""
    given = [value] if isinstance(value, str) else value
    return [part.strip() for one in given for part in str(one).split(",")] if isinstance(given, list) else given


class Question(BaseModel):
    """A search; without a channel only what the whole guild may know is found."""

    q: Annotated[str, Text, Field(min_length=1, max_length=LONGEST_QUESTION)]
    member: str | None = Field(default=None, max_length=200, description="whom it is about")
    channel: str | None = Field(default=None, max_length=200, description="where the answer is to be used")
    kind: Annotated[list[Kind], Field(min_length=1), BeforeValidator(_listed)] = Field(
        default=["fact", "note", "message"], description="one or several, with commas"
    )
    limit: int = Field(default=10, ge=1, le=MOST_RESULTS)
    strict: bool = Field(default=False, description="nothing rather than something weak")
    explain: bool = Field(default=False, description="with the parts of each score")
    preset: Literal["default", "seed000", "seed002"] = Field(
        default="default", description="how to rank: as memoryhub does, or as a design it joins did"
    )
    as_of: MomentInAddress | None = Field(default=None, description="what was true then")


class Found(BaseModel):
    """A memory with its score and what it rests on."""

    kind: str
    id: str
    text: str
    score: float
    member: str | None
    member_name: str | None
    created_at: datetime
    sources: list[Source]
    scores: dict[str, float] | None = None

    @classmethod
    def of(cls, memory: Memory, *, explain: bool = False) -> Self:
        """Return the memory as the API shows it; what is not set is not shown."""
        parts = {"scores": memory.scores} if explain else {}
        return cls(
            kind=memory.kind, id=str(memory.id), text=memory.text, score=memory.score, member=memory.member_id,
            member_name=memory.member, created_at=memory.created_at.astimezone(UTC),
            sources=memory.sources,
            **parts,
        )  # fmt: skip


class FoundOut(BaseModel):
    """Memories, the best first."""

    items: list[Found]
    next_cursor: str | None = None
