"""Cuts a long text into parts, because a pattern may take the square of what it reads."""

from __future__ import annotations

from collections.abc import Iterator

PART, OVERLAP = 1200, 300  # characters; no shape that is looked for is longer than the overlap


def parts(text: str) -> Iterator[str]:
    """Yield overlapping parts of the text; a short text is one part."""
    return (text[start : start + PART] for start in range(0, max(1, len(text) - OVERLAP), PART - OVERLAP))
