"""How members are called: by a label that is distinct in their guild, made of their names and never of an id."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from memoryhub.language.clip import clip, one_line
from memoryhub.safety import carries_instruction

NAME_CHARS, HANDLE_CHARS = 40, 32
LABEL_CHARS = NAME_CHARS + HANDLE_CHARS + len(" (@)")
LOOK_CHARS = 4 * NAME_CHARS  # composed letters come apart
NAMELESS = "Member"
# What only a label holds: a handle or a number after the name.
_ADDED = re.compile(r" \((?:@[^()\s]+|\d+)\)$")
_LIKE_ADDED = re.compile(r"[(（]\s*(?:[@＠]|\d+\s*[)）])")
# Letters that look like Latin ones, and letters and figures that look like each other.
_LOOK_ALIKES = str.maketrans("аеорсухікмнтвѕјԁɡαονρτικυ01iı", "aeopcyxlkmhtbsjdgaovptlkuolll")


@lru_cache(maxsize=4096)
def name_of(*, display_name: str, name: str) -> str:
    """Return the name that a member goes by, fit to stand in a line; nothing that a label adds, and no order."""
    for given in (display_name, name):
        plain = re.sub(r"[()（）@＠]+", " ", given) if _LIKE_ADDED.search(given) else given
        text = clip(one_line(plain), NAME_CHARS)
        if look(text) and not carries_instruction(given):
            return text
    return NAMELESS


def look(name: str) -> str:
    """Return what names that a reader may take for one another have in common; nothing for one that can't be seen."""
    letters = "".join(
        letter
        for letter in unicodedata.normalize("NFKD", name).casefold()
        if unicodedata.category(letter)[0] not in "CMZ" and letter not in "\u115f\u1160\u3164\u2800"
    )
    return ("".join(filter(str.isalnum, letters)).translate(_LOOK_ALIKES) or letters)[:LOOK_CHARS]


def handle_of(name: str) -> str:
    """Return the account's name as a label adds it; nothing where there is none, or it gives orders."""
    handle = clip(re.sub(r"[()\s]+", "", one_line(name)), HANDLE_CHARS)
    return "" if carries_instruction(name) or not look(handle) else handle


def plain_name(label: str) -> str:
    """Return the name that people say, without what the label adds to it."""
    return _ADDED.sub("", label)


def bearers(labelled: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return who is meant by each label, and by each plain name that only one of these bears."""
    pairs = set(labelled)
    borne = Counter(plain_name(label) for label, _ in pairs)
    return {plain: who for label, who in pairs if borne[plain := plain_name(label)] == 1} | dict(pairs)
