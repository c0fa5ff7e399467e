"""Render members and notes as the `<background_facts>` block of seed 001, every line with its sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from xml.sax.saxutils import escape

from profiles.shapes import LIMITS
from profiles.wording import one_line

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
class Card:
    """A member as a bot sees them: lines by section."""

    name: str
    sections: dict[str, list[CardLine]]


@dataclass(frozen=True)
class NoteLine:
    """A note as a bot sees it."""

    title: str
    summary: str
    date: date


def render(cards: Sequence[Card], notes: Sequence[NoteLine] = ()) -> str:
    """Return the block, XML-escaped throughout, empty parts left out; the empty string where nothing is left."""
    users = [text for card in cards if (text := render_card(card))]
    told = ["<notes>", *map(render_note, notes), "</notes>"] if notes else []
    inside = [*users, *told]
    return "\n".join(["<background_facts>", *inside, "</background_facts>"]) if inside else ""


def render_card(card: Card) -> str:
    """Return one `<user>` element, its sections in their fixed order; the empty string for an empty card."""
    filled = {name: card.sections[name] for name in LIMITS if card.sections.get(name)}
    if not filled:
        return ""
    blocks = ["\n".join([f"{name.capitalize()}:", *map(render_line, lines)]) for name, lines in filled.items()]
    return f'<user name="{_xml(card.name)}">\n' + "\n\n".join(blocks) + "\n</user>"


def render_line(line: CardLine) -> str:
    """Return `- text  [Title, Mon D; Title, Mon D]` with at most two sources."""
    cited = "; ".join(
        f"{_xml(source.title.translate(_BRACKETS))}, {_day(source.date)}" for source in line.sources[:CITATIONS]
    )
    return f"- {_xml(line.text)}" + (f"  [{cited}]" if cited else "")


def render_note(note: NoteLine) -> str:
    """Return `- [Mon D] Title — summary` on one line."""
    return f"- [{_day(note.date)}] {_xml(note.title)} — {_xml(note.summary)}"


def _xml(text: str) -> str:
    return escape(one_line(text), {'"': "&quot;", "'": "&apos;"})


def _day(when: date) -> str:
    return f"{when:%b} {when.day}"
