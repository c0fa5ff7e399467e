"""Folds a fact's text to what makes two facts the same."""

from __future__ import annotations

import re
import unicodedata

_WORDS = re.compile(r"\w+")


def normalize(text: str) -> str:
    """Return the text without case, punctuation and extra space (seed 002: repeats are found whatever their case)."""
    return " ".join(_WORDS.findall(unicodedata.normalize("NFKC", text).casefold()))[:400]
