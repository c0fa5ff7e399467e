"""What a context is made of: items, each a line for the bot with its sources, in named parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from memory.memories import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of a context: `about` names the member it is about or who said it, `section` where it belongs.

    `cited` are the notes that a profile line rests on, by title and day.
    """

    text: str
    about: str = ""
    section: str = ""
    at: datetime | date | None = None
    score: float = 0.0
    cited: list[tuple[str, date]] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)


Parts = dict[str, list[Item]]
