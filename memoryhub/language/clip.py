"""Cut texts at a word and fence them as data: what every prompt and answer of notes and profiles shares."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
_MARK = "…"
LISTED = 4


def clip(text: str, limit: int) -> str:
    """Return the text with blanks tidied, at most `limit` characters long, cut after a whole word if it has any."""
    lines = (" ".join(line.split()) for line in _UNSEEN.sub(" ", text).split("\n"))
    tidy = "\n".join(line for line in lines if line)
    if len(tidy) <= limit:
        return tidy
    head = tidy[: limit - 1]
    whole = head if tidy[limit - 1].isspace() else head.rpartition(" ")[0]
    # Text without blanks (a link, Japanese) has no word to end on.
    kept = whole if len(whole) * 2 > limit else head
    return kept.rstrip(" \n,;:-–—") + _MARK


def clip_words(text: str, limit: int) -> str:
    """Return at most `limit` words of the text on one line."""
    words = text.split()
    return " ".join(words) if len(words) <= limit else " ".join(words[:limit]).rstrip(",;:-–—") + _MARK


def kept_here(kinds: Iterable[str]) -> str:
    """Return the line of a prompt that names the sensitive kinds which this guild keeps."""
    return f"Kept here: {', '.join(kinds) or 'neither health nor money'}"


@dataclass(frozen=True)
class Clip:
    """A pydantic validator that cuts a text instead of refusing it, and keeps its line breaks if told so."""

    limit: int
    lines: bool = False

    def __call__(self, value: Any) -> Any:
        """Cut texts, and leave anything else to pydantic's own check."""
        if not isinstance(value, str):
            return value
        return clip(value if self.lines else " ".join(value.split()), self.limit)


@dataclass(frozen=True)
class First:
    """A pydantic validator that keeps the first `limit` items of a list that say something."""

    limit: int

    def __call__(self, value: Any) -> Any:
        """Cut lists, and leave anything else to pydantic's own check."""
        if not isinstance(value, list):
            return value
        return [item for item in value if not isinstance(item, str) or item.strip()][: self.limit]


def one_line(text: str) -> str:
    """Return the text on one line, without control characters and marks that change its direction."""
    return " ".join(_UNSEEN.sub(" ", text).split())


def flat(text: str) -> str:
    """Return the text on one line, unable to open or close a fence."""
    return one_line(text).replace("<", "‹").replace(">", "›")


def block(tag: str, rows: Iterable[str]) -> str:
    """Return rows of data between the marks of a fence, one a line; an empty fence says that there is nothing."""
    return "\n".join([f"<{tag}>", *(flat(row) for row in rows), f"</{tag}>"])


def listing(names: Iterable[str], *, limit: int = LISTED) -> str:
    """Return names as people write them: `Alice, Bob and Carol`, the rest counted."""
    every = list(dict.fromkeys(names))
    if len(every) > limit:
        every = [*every[: limit - 1], f"{len(every) - limit + 1} others"]
    return " and ".join(filter(None, [", ".join(every[:-1]), *every[-1:]]))
