"""Lists of words and tables of patterns: data files with headings, and short lists written as prose in the code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

_HEADING = re.compile(r"^\[(?=[^\n]*\]$)", re.MULTILINE)
_COMMENT = re.compile(r"^#.*\n|^\n", re.MULTILINE)
_CONTINUED = re.compile(r"\n[ \t]+")
_LIST = re.compile(r"\{(any:)?([a-z_]+)\}")
_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]|[^\\\[()|]+", re.DOTALL)
_BORDER = r"\b"
_WORD = re.compile(r"[\w'’]+")


def rows(module: str | Path) -> dict[str, list[str]]:
    """Return the lines under each heading of the data file beside a module (its `__file__`), in order.

    A heading is a line in brackets, `#` opens a line of comment; an indented line goes on where the one before it ends.
    """
    text = _COMMENT.sub("", Path(module).with_suffix(".txt").read_text(encoding="utf-8"))
    sections = (part.partition("]\n") for part in _HEADING.split(text)[1:])
    return {heading: _CONTINUED.sub("", body.strip("\n")).split("\n") for heading, _, body in sections}


def load(module: str | Path) -> dict[str, frozenset[str]]:
    """Return the words under each heading of the data file beside a module."""
    return {heading: listed(" ".join(lines)) for heading, lines in rows(module).items()}


def listed(words: str) -> frozenset[str]:
    """Return the words of a list parted by blanks."""
    return frozenset(words.split())


def pattern(text: str, lists: Mapping[str, Iterable[str]] | None = None) -> re.Pattern[str]:
    """Compile a pattern for text in any case; `{pets}` in it stands for the alternatives in the list `pets`.

    `{any:pets}` stands for the same in another order, which is quicker: where it does not matter which one is found.
    """
    return re.compile(_filled(text, lists or {}), re.IGNORECASE)


def _filled(text: str, lists: Mapping[str, Iterable[str]]) -> str:
    while filled := _LIST.search(text):
        alternatives = "|".join(lists[filled[2]])
        text = text.replace(filled[0], _together(_filled(alternatives, lists)) if filled[1] else alternatives)
    return text


def _together(text: str) -> str:
    """Put those alternatives together that begin at a word's border: each letter is looked at once for it."""
    each, depth = [""], 0
    for piece in _PIECE.findall(text):
        depth += {"(": 1, ")": -1}.get(piece, 0)
        if piece == "|" and not depth:
            each.append("")
        else:
            each[-1] += piece
    bordered = [shape.removeprefix(_BORDER) for shape in each if shape.startswith(_BORDER)]
    others = [shape for shape in each if not shape.startswith(_BORDER)]
    return "|".join([*others, f"{_BORDER}(?:{'|'.join(bordered)})"] if bordered else others)


class Shapes(dict[str, re.Pattern[str]]):
    """A module's data file as patterns, compiled when first asked for: the lines under a heading are alternatives.

    `rows` are the lines by heading; patterns take their lists from there, and from `more`.
    """

    def __init__(self, module: str | Path, more: Mapping[str, list[str]] | None = None) -> None:
        super().__init__()
        self.rows = {**(more or {}), **rows(module)}

    def __missing__(self, heading: str) -> re.Pattern[str]:
        """Compile what stands under the heading; KeyError where there is none."""
        return self.setdefault(heading, pattern(f"{{{heading}}}", self.rows))

    def words(self, heading: str) -> frozenset[str]:
        """Return the words under the heading."""
        return listed(" ".join(self.rows[heading]))


def spoken(text: str) -> frozenset[str]:
    """Return the lower-case words of `text` with straight apostrophes: the cheap look before any pattern."""
    return frozenset(_WORD.findall(text.lower().replace("’", "'")))
