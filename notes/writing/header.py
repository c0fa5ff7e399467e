"""The first line of a note or a summary by rules: who talked, about what, and when it began."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memoryhub.ai.chat_fence import Line
from memoryhub.language.clip import listing

_HEADER = re.compile(r"(?:.+ (?:talked|wrote)(?: about .+)? on|On) \d{1,2} \w+ \d{4}(?: at \d\d:\d\d)?\.")


def header(lines: Sequence[Line], people: Sequence[str], about: Sequence[str] = ()) -> str:
    """Return the line for a talk."""
    if not lines:
        return "Nothing was said."
    verb = "talked" if len(people) > 1 else "wrote"
    matter = f" about {listing(about)}" if about else ""
    at = lines[0].sent_at
    return f"{listing(people)} {verb}{matter} on {at.day} {at:%B %Y} at {at:%H:%M}."


def day_only(at: datetime) -> str:
    """Return the line for a talk of which nothing else may be told any longer."""
    return f"On {at.day} {at:%B %Y}."


def parted(text: str) -> tuple[str, str]:
    """Return the header of a note ("" where it has none, being in free words) and the rest."""
    first, _, rest = text.partition("\n")
    return (first, rest) if _HEADER.fullmatch(first) else ("", text)
