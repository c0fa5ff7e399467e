"""Lists of words, written as prose so that they can be read."""

from __future__ import annotations

import re

_WORD = re.compile(r"[\w'’]+")


def listed(words: str) -> frozenset[str]:
    """Return the words of a list parted by blanks."""
    return frozenset(words.split())


def spoken(text: str) -> frozenset[str]:
    """Return the lower-case words of `text` with straight apostrophes: the cheap look before any pattern."""
    return frozenset(_WORD.findall(text.lower().replace("’", "'")))
