"""Cuts a long reply into messages that Discord takes, at the borders of what is said, without breaking code."""

from __future__ import annotations

import re

MOST = 2000  # characters of a message, by Discord's rule
FENCE = "```"
_BORDERS = ("\n\n", "\n", ". ", "! ", "? ", " ")
_OPENING = re.compile(r"```(\w*)")


def split(text: str, *, most: int = MOST) -> list[str]:
    """Return the text in parts of at most `most` characters; a code block that is cut is closed and opened again.

    Each part ends at the last border in the second half of its room, else at the end of the room.
    """
    parts, rest = [], text.strip()
    room = most - len(FENCE) - 1
    while len(rest) > most:
        places = ((rest.rfind(border, room // 2, room), border) for border in _BORDERS)
        cut = next((place + len(border) for place, border in places if place > 0), room)
        head, rest = rest[:cut].rstrip(), rest[cut:].lstrip("\n ")
        fences = list(_OPENING.finditer(head))
        if len(fences) % 2:  # a code block is left open
            head, rest = f"{head}\n{FENCE}", f"{FENCE}{fences[-1][1]}\n{rest}"
        parts.append(head)
    return [*parts, rest] if rest else parts
