"""The form `user_memory`: one person and their facts in a paragraph, all of it escaped."""

from __future__ import annotations

from xml.sax.saxutils import escape

from memory.context.items import Frame, Item
from memoryhub.language.clip import one_line

CUT = "(Some of what is known did not fit.)"


def line(_part: str, item: Item) -> str:
    """Return one fact as it stands in the paragraph, with the day on which it was learned."""
    learned = f" (learned {item.at:%Y-%m-%d})" if item.at else ""
    return f"{_escaped(item.text).rstrip('.')}{learned}."


def render(frame: Frame) -> str:
    """Return the block; what is no fact has no place in it."""
    facts = [line("facts", item) for item in frame.parts.get("facts", [])]
    if not facts:
        return ""
    rows = ["<user_memory>"]
    if person := frame.person:
        name, zone = _escaped(person.name), _escaped(person.time_zone)
        rows += ["  <profile>", f"    <name>{name}</name>", f"    <timezone>{zone}</timezone>", "  </profile>"]
    paragraph = " ".join([*facts, *([CUT] if frame.cut else [])])
    return "\n".join([*rows, "  <facts>", f"    {paragraph}", "  </facts>", "</user_memory>"])


def _escaped(text: str) -> str:
    return escape(one_line(text), {'"': "&quot;", "'": "&apos;"})
