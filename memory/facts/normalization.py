"""How a fact is written down, and folded to what makes two facts the same."""

from __future__ import annotations

import re
import unicodedata

_WORDS = re.compile(r"\w+")


def normalize(text: str) -> str:
    """Return the text without case, punctuation and extra space: repeats are found whatever their case."""
    return " ".join(_WORDS.findall(unicodedata.normalize("NFKC", text).casefold()))[:400]


def sentence(text: str) -> str:
    """Return the text on one line and with an end, as facts are stored."""
    words = " ".join(text.split())
    return words if not words or words[-1] in ".!?…。！？" else f"{words}."
