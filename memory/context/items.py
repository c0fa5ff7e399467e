"""What a context is made of: items, each a line for the bot with its sources, in named parts, and what stayed out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from memory.recall.results import Source


class KeptLines:
    """What an item keeps that nobody is shown: its lines, by how they were written, as a text is written often."""

    __slots__ = ("lines",)

    def __post_init__(self) -> None:
        self.lines: dict[tuple[object, ...], str] = {}


@dataclass(slots=True, kw_only=True)  # not frozen: a context makes a hundred, and that takes three times as long
class Item(KeptLines):
    """One line of a context: `about` names the member it is about or who said it, `member` is their platform's id.

    `section` says where it belongs, `kind` and `id` what it was made of: a fact, entry, member (their summary), summary
    or note by row number, a message by the platform's id. `cited` are the notes that a profile line rests on, by title
    and day. `scores` are the parts of the score. `role` is "user" or "assistant" in a transcript that the caller
    brought. `tokens` is 0 until it is known in which form the line is written.
    """

    text: str
    kind: str = ""
    id: int | str | None = None
    about: str = ""
    member: str = ""
    section: str = ""
    at: datetime | date | None = None
    score: float = 0.0
    scores: Mapping[str, float] = field(default_factory=dict)
    cited: list[tuple[str, date]] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    role: str = ""
    tokens: int = 0

    @property
    def day(self) -> date:
        """Return the day it is from; the first of all days where that is not known."""
        return self.at.date() if isinstance(self.at, datetime) else self.at or date.min


class Why(StrEnum):
    """Why something that was found is not in the context."""

    BUDGET = "over budget"
    CAP = "over cap"
    REPEATED = "repeated"
    GATE = "below gate"
    AUDIENCE = "not for this audience"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """An item that stayed out of a part, and why; `because` is that in a sentence.

    `repeats` are the lines that say it, of which one is enough.
    """

    part: str
    item: Item
    why: Why
    because: str
    repeats: tuple[Item, ...] = ()


Parts = dict[str, list[Item]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Whom the bot answers."""

    name: str
    time_zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What may go into a context, part by part, best first, and what was found but is not worth a line.

    Not `capped` is what was chosen by a limit of its own: only the budget holds it.
    """

    parts: Parts
    left_out: list[LeftOut] = field(default_factory=list)
    person: Person | None = None
    capped: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What one text is written from: what is remembered, and what the caller brought; `cut` if not all of it fits.

    `base` is the caller's own system text and `text` what was said to the bot; `outside` keeps memory out of the system
    role. The last two matter to a chat only.
    """

    parts: Parts = field(default_factory=dict)
    cut: bool = False
    base: str = ""
    text: str = ""
    outside: bool = False
    person: Person | None = None
    capped: bool = True


@dataclass(frozen=True, slots=True)
class Rendered:
    """A context as it is handed over: one text, and for a chat its messages."""

    text: str
    tokens: int
    messages: list[dict[str, str]] | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """How memory is written: one item of a part as a line, and the whole of it."""

    line: Callable[[str, Item], str]
    render: Callable[[Frame], str]


FORMS: dict[str, Form] = {}
"""The forms by name: `rendering` has most of them, `memory.compatibility` adds to them."""
