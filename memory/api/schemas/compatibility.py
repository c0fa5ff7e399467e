"""The answers of the routes kept from the source designs, in their own spelling."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, Field

from memory.api.schemas.facts import FactOut
from memory.api.schemas.search import LONGEST_QUESTION, MOST_RESULTS, Found
from memory.models import Fact
from memoryhub.common.pagination import Window
from notes.messages.schemas import Text


class Markdown(BaseModel):
    """The snapshot, in the spelling of the design that it comes from."""

    guildId: str  # noqa: N815
    markdown: str
    generated_at: datetime


class KeptQuestion(BaseModel):
    """A search in the spelling of the design that it comes from; `limit` is brought within 1 to 24, not refused."""

    q: Annotated[str, Text, Field(max_length=LONGEST_QUESTION)] = ""
    guildId: str = Field(default="", max_length=256)  # noqa: N815
    channelId: str = Field(default="", max_length=200)  # noqa: N815
    limit: Annotated[int, AfterValidator(lambda limit: min(max(limit, 1), MOST_RESULTS))] = 10


class Results(BaseModel):
    """What was found; without a question or a guild nothing, and limit 0."""

    queryText: str  # noqa: N815
    guildId: str  # noqa: N815
    channelId: str | None  # noqa: N815
    limit: int
    results: list[Found]


class MemoryOut(FactOut):
    """A fact with its guild."""

    guild: str

    @classmethod
    def of(cls, fact: Fact) -> Self:
        """Return the row as the API shows it."""
        return cls(guild=fact.guild.key, **FactOut.of(fact).model_dump())


class MemoryWindow(Window):
    """This list was given whole once; a page of it is larger than others."""

    limit: int = Field(default=200, ge=1, le=1_000)


class Memories(BaseModel):
    """Facts of all the guilds that the caller sees, the newest first."""

    memories: list[MemoryOut]
    next_cursor: str | None
