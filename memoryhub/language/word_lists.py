"""Lists of words and tables of patterns: data files with headings, and short lists written as prose in the code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

_HEADING = re.compile(r"^\[(?=[^\n]*\]$)", re.MULTILINE)
_COMMENT = re.compile(r"^#.*\n|^\n", re.MULTILINE)
_CONTINUED = re.compile(r"\n[ \t]+")
_LIST = re.compile(r"\{([a-z_]+)\}")
_WORD = re.compile(r"[\w'’]+")


def load(path: Path) -> dict[str, frozenset[str]]:
    """Return the lists of a data file by heading: a heading is a line in brackets, `#` opens a line of comment."""
    return {heading: listed(body) for heading, body in _sections(path)}


def rows(path: Path) -> dict[str, list[str]]:
    """Return the lines under each heading, in order; an indented line goes on where the one before it ends."""
    return {heading: _CONTINUED.sub("", body).split("\n") for heading, body in _sections(path)}


def _sections(path: Path) -> Iterator[tuple[str, str]]:
    for part in _HEADING.split(_COMMENT.sub("", path.read_text(encoding="utf-8")))[1:]:
        heading, _, body = part.partition("]\n")
        yield heading, body.strip("\n")


def listed(words: str) -> frozenset[str]:
    """Return the words of a list parted by blanks."""
    return frozenset(words.split())


def pattern(text: str, lists: Mapping[str, Iterable[str]] | None = None) -> re.Pattern[str]:
    """Compile a pattern for text in any case; `{pets}` in it stands for the alternatives in the list `pets`."""
    while filled := _LIST.search(text):
        text = text.replace(filled[0], "|".join((lists or {})[filled[1]]))
    return re.compile(text, re.IGNORECASE)


def spoken(text: str) -> frozenset[str]:
    """Return the lower-case words of `text` with straight apostrophes: the cheap look before any pattern."""
    return frozenset(_WORD.findall(text.lower().replace("’", "'")))
