"""What the two questions of memory take and give: extraction of facts, and consolidation with known ones."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from memory.facts.confidence import clamp
from memory.facts.kinds import Kind, kind_of
from memoryhub.ai.chat_fence import Line

Action = Literal["KEEP", "INVALIDATE", "MERGE", "REINFORCE"]

MAX_FACT = 190  # characters
_DAY = re.compile(r"([1-9]\d{3})(?:-(\d{2}))?(?:-(\d{2}))?")


def _day(value: object) -> object:
    """Let a model answer 2025 or 2025-03: the first day of it; what is no date is none."""
    if not isinstance(value, str):
        return value
    found = _DAY.match(value)
    if not found:
        return None
    try:
        return date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
    except ValueError:
        return None


Confidence = Annotated[float, BeforeValidator(clamp), Field(ge=0.3, le=1.0)]
Day = Annotated[date | None, BeforeValidator(_day)]


class KnownFact(BaseModel):
    """A fact that is stored: `subject` is the member's row id, None for lore; `said_on` the day it was last said."""

    id: int
    subject: int | None
    text: str
    said_on: Day = None


class ExtractionInput(BaseModel):
    """Lines of one channel; facts are learnt from the messages in `learn_from`, the others are only context."""

    guild: str
    lines: list[Line]
    learn_from: list[int]
    known: list[KnownFact] = []
    mentioned: dict[int, str] = Field(default={}, description="members who are named and did not speak")
    tool_summaries: dict[int, int] = Field(
        default={}, description="messages in which a bot tells what a tool found, and the member each is about"
    )
    kept: list[str] = Field(default=[], description="sensitive kinds that this guild keeps")


class Candidate(BaseModel):
    """A fact proposed, in the third person and without the name; not yet guarded or compared with known ones."""

    text: str
    subject: int | None = Field(description="the author number of the member it is about; null for lore of the guild")
    kind: Annotated[Kind, BeforeValidator(kind_of)] = "other"
    confidence: Confidence = 0.5
    explicit: bool = Field(default=False, description="the member said it in so many words")
    quote: str = Field(description="the words of the message, copied")
    messages: list[int] = Field(description="numbers of the messages it rests on")
    valid_from: Day = Field(default=None, description="since when it holds, if the words say so")


class Candidates(BaseModel):
    """The answer to an extraction; an empty list is a good answer, none at all is not."""

    facts: list[Candidate]

    @model_validator(mode="before")
    @classmethod
    def _wrapped(cls, answer: object) -> object:
        """Take a bare list for the facts: some models answer so."""
        return {"facts": answer} if isinstance(answer, list) else answer


class ConsolidationInput(BaseModel):
    """A new fact beside the nearest ones (at most 3) already known about the same subject."""

    new: str
    said_on: Day = None
    old: list[KnownFact]


class ConsolidationCases(BaseModel):
    """What one reading brought: each new fact beside its own old ones, numbered from 1."""

    cases: list[ConsolidationInput]


class Decision(BaseModel):
    """What a new fact, named by its number, means for one old fact, named by `fact`; `merged_text` only for MERGE."""

    new: int = 1
    action: Action
    fact: int | None = None
    merged_text: str = ""
    possible_conflict: bool = False


class Decisions(BaseModel):
    """One decision for each old fact that a new one touches; none means: keep the new one beside them."""

    decisions: list[Decision]
