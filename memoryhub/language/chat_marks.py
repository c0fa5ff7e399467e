"""What stands in chat and is no word: links, fenced code, Discord's marks. Patterns for those who look past it."""

from __future__ import annotations

import re

LINK = r"<?\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.)\S+"
FENCED_CODE = r"```.*?(?:```|\Z)"
DISCORD_MARK = r"<a?:\w+:\d+>|<[@#][!&]?\d+>"
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>()\[\]\"']+", re.IGNORECASE)


def addresses(text: str) -> set[str]:
    """Return the web addresses that a text names."""
    return set(_ADDRESS.findall(text))
