"""Chat text into sentences, without breaking abbreviations, numbers, links or initials."""

from __future__ import annotations

import re

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_LINK = re.compile(r"<?(?:https?://|www\.)\S+>?", re.IGNORECASE)
_EMOJI_TAG = re.compile(r"<a?:(\w+):\d+>")
_TITLES = "mr|mrs|ms|dr|st|prof|jr|sr|vs|etc|e\\.g|i\\.e|approx|no|inc|ltd|mt|ft|u\\.s|u\\.k"
_CERTAIN_ABBREVIATION = re.compile(rf"(?:^|\s)(?:{_TITLES})\.$", re.IGNORECASE)
_INITIAL = re.compile(r"(?:^|\s)[B-HJ-Z]\.$")
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？｡])[」』”’）]*|\n+")


def clean(text: str) -> str:
    """Return chat text without code, links and the machine form of custom emoji; every run of blanks becomes one."""
    without = _EMOJI_TAG.sub(r":\1:", _LINK.sub(" ", _CODE.sub(" ", text)))
    return " ".join(without.split())


def sentences(text: str) -> list[str]:
    """Return the sentences of `text` in order, stripped, none empty; a line break always ends one."""
    parts: list[str] = []
    start = 0
    for end in _END.finditer(text):
        head = text[start : end.start()].rstrip("\"'”’)]")
        if "\n" not in end.group() and (_CERTAIN_ABBREVIATION.search(head) or _INITIAL.search(head)):
            continue
        parts.append(text[start : end.end()])
        start = end.end()
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]
