"""Write the lines of the `<background_facts>` block of seed 001: what is known, with its sources; what happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from xml.sax.saxutils import escape

from memoryhub.language.clip import one_line

CITATIONS = 2
_BRACKETS = str.maketrans("[];", "(),")


@dataclass(frozen=True)
class Source:
    """A note that a line rests on."""

    note: int
    title: str
    date: date


@dataclass(frozen=True)
class CardLine:
    """One line of a profile and the notes that bear it, newest first where it matters."""

    text: str
    sources: list[Source] = field(default_factory=list)


@dataclass(frozen=True)
class NoteLine:
    """A note as a bot sees it."""

    title: str
    summary: str
    date: date


def render_line(line: CardLine) -> str:
    """Return `- text  [Title, Mon D; Title, Mon D]` with at most two sources."""
    cited = "; ".join(
        f"{in_xml(source.title.translate(_BRACKETS))}, {_day(source.date)}" for source in line.sources[:CITATIONS]
    )
    return f"- {in_xml(line.text)}" + (f"  [{cited}]" if cited else "")


def render_note(note: NoteLine) -> str:
    """Return `- [Mon D] Title — summary` on one line."""
    return f"- [{_day(note.date)}] {in_xml(note.title)} — {in_xml(note.summary)}"


def in_xml(text: str) -> str:
    """Return chat as it stands between tags; quotation marks end nothing there, and escaped ones cost a bot tokens."""
    return escape(one_line(text))


def _day(when: date) -> str:
    return f"{when:%b} {when.day}"
