"""Writes the lines of the `<background_facts>` block: what is known, with its sources, and what happened."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from xml.sax.saxutils import escape

from memoryhub.language.clip import one_line

CITATIONS = 2
_BRACKETS = str.maketrans("[];", "(),")


def render_line(text: str, cited: Sequence[tuple[str, date]] = ()) -> str:
    """Return `- text  [Title, Mon D; Title, Mon D]`, with the first two of the notes that it cites."""
    sources = "; ".join(f"{in_xml(title.translate(_BRACKETS))}, {day:%b} {day.day}" for title, day in cited[:CITATIONS])
    return f"- {in_xml(text)}" + (f"  [{sources}]" if sources else "")


def render_note(title: str, summary: str, *, day: date) -> str:
    """Return `- [Mon D] Title — summary` on one line."""
    return f"- [{day:%b} {day.day}] {in_xml(title)} — {in_xml(summary)}"


def in_xml(text: str) -> str:
    """Return chat as it stands between tags; quotation marks end nothing there, and escaped ones cost a bot tokens."""
    return escape(one_line(text))
