"""The first line of a note or a summary by rules: who talked, about what, and when it began."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memoryhub.ai.chat_fence import Line
from memoryhub.language.clip import listing

_HEADER = re.compile(
    r"(?:.+ (?:talked|wrote) at \d\d:\d\d on|On) \d{1,2} \w+ \d{4}(?:,? (?:also )?about .+)?\."
    r"|.+ (?:talked|wrote)(?: about .+)? on \d{1,2} \w+ \d{4} at \d\d:\d\d\."  # as notes of earlier releases have it
)


def header(lines: Sequence[Line], people: Sequence[str], about: Sequence[str] = ()) -> str:
    """Return the line for a talk and what it was about."""
    if not lines:
        return "Nothing was said."
    verb = "talked" if len(people) > 1 else "wrote"
    matter = f" about {listing(about)}" if about else ""
    at = lines[0].sent_at
    return f"{listing(people)} {verb} at {at:%H:%M} on {at.day} {at:%B %Y}{matter}."


def day_only(at: datetime) -> str:
    """Return the line for a talk of which nothing else may be told any longer."""
    return f"On {at.day} {at:%B %Y}."


def body(title: str, summary: str) -> str:
    """Return what a note says besides its title and its header, row by row; all of it where that is nothing."""
    rows = [row for row in parted(summary)[1].split("\n") if row.rstrip(" .!").casefold() != title.casefold()]
    return "\n".join(rows) or summary


def parted(text: str) -> tuple[str, str]:
    """Return the header of a note ("" where it has none, being in free words) and the rest."""
    first, _, rest = text.partition("\n")
    return (first, rest) if _HEADER.fullmatch(first) else ("", text)
