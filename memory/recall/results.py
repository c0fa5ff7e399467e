"""What recall answers with: memories, and the sources that they rest on."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar


@dataclass(slots=True, kw_only=True)  # not frozen: a search makes hundreds, and that takes twice as long
class Source:
    """What a memory rests on: a message (the platform's id, the words) or a note (its row number, the title)."""

    # The API shows it as it is: a row number is a word, and none of the fields is ever left out.
    __pydantic_config__: ClassVar[dict[str, bool]] = {"json_schema_serialization_defaults_required": True}

    message_id: str | None = None
    note_id: str | None = None
    quote: str = ""
    author: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing remembered: `id` is the row number of a fact or note, the platform's id of a message.

    `member` (name) and `member_id` (the platform's) are whom a fact is about or who wrote a message; lore and notes
    have none. `gate` names the relevance gate that it passed, "" for none; `scores` are the parts of the score.
    """

    kind: str
    id: int | str
    text: str
    score: float
    member: str | None
    member_id: str | None
    created_at: datetime
    sources: list[Source]
    gate: str = ""
    scores: dict[str, float] = field(default_factory=dict)
