"""Cuts a long reply into messages that Discord takes, at the borders of what is said, without breaking code."""

from __future__ import annotations

import re

MOST = 2000  # characters of a message, by Discord's rule
FENCE = "```"
_BORDERS = ("\n\n", "\n", ". ", "! ", "? ", " ")
_OPENING = re.compile(r"```(\w*)")


def split(text: str, *, most: int = MOST) -> list[str]:
    """Return the text in parts of at most `most` characters; a code block that is cut is closed and opened again."""
    parts, rest = [], text.strip()
    while len(rest) > most:
        cut = _cut(rest, most - len(FENCE) - 1)
        head, rest = rest[:cut].rstrip(), rest[cut:].lstrip("\n ")
        if (language := _left_open(head)) is not None:
            head, rest = f"{head}\n{FENCE}", f"{FENCE}{language}\n{rest}"
        parts.append(head)
    return [*parts, rest] if rest else parts


def _cut(text: str, room: int) -> int:
    """Return where to cut: the last border in the second half, else the end of the room."""
    for border in _BORDERS:
        place = text.rfind(border, room // 2, room)
        if place > 0:
            return place + len(border)
    return room


def _left_open(text: str) -> str | None:
    """Return the language of a code block that is not closed, None if there is none."""
    marks = list(_OPENING.finditer(text))
    return marks[-1][1] if len(marks) % 2 else None
