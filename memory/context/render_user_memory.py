"""Writes facts as the `<user_memory>` block of seed 002: one person, their facts in a paragraph, all of it escaped."""

from __future__ import annotations

from xml.sax.saxutils import escape

from memory.context.items import Item, Person, Told
from memoryhub.language.clip import one_line

CUT = "(Some of what is known did not fit.)"


def line(_part: str, item: Item) -> str:
    """Return one fact as it stands in the paragraph, with the day on which it was learned."""
    learned = f" (learned {item.at:%Y-%m-%d})" if item.at else ""
    return f"{_safe(item.text).rstrip('.')}{learned}."


def render(told: Told) -> str:
    """Return the block; what is no fact has no place in it."""
    facts = [line("facts", item) for item in told.parts.get("facts", [])]
    paragraph = " ".join([*facts, *([CUT] if told.cut else [])])
    inside = [*_profile(told.person), "  <facts>", f"    {paragraph}", "  </facts>"]
    return "\n".join(["<user_memory>", *inside, "</user_memory>"]) if facts else ""


def _profile(person: Person | None) -> list[str]:
    if person is None:
        return []
    name, zone = _safe(person.name), _safe(person.time_zone)
    return ["  <profile>", f"    <name>{name}</name>", f"    <timezone>{zone}</timezone>", "  </profile>"]


def _safe(text: str) -> str:
    return escape(one_line(text), {'"': "&quot;", "'": "&apos;"})
