"""Lists of words: data files with a list under each heading, and short lists written as prose in the code."""

from __future__ import annotations

import re
from pathlib import Path

_WORD = re.compile(r"[\w'’]+")


def load(path: Path) -> dict[str, frozenset[str]]:
    """Return the lists of a data file by heading: a heading is a line in brackets, `#` opens a line of comment."""
    lists: dict[str, frozenset[str]] = {}
    for part in re.split(r"^\[", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("]\n")
        lists[heading] = listed(re.sub(r"^#.*$", "", body, flags=re.MULTILINE))
    return lists


def listed(words: str) -> frozenset[str]:
    """Return the words of a list parted by blanks."""
    return frozenset(words.split())


def spoken(text: str) -> frozenset[str]:
    """Return the lower-case words of `text` with straight apostrophes: the cheap look before any pattern."""
    return frozenset(_WORD.findall(text.lower().replace("’", "'")))
