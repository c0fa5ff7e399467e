"""What a member tells of a name that a known fact of theirs has: it died, they broke up, it is spelled otherwise."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from memory.rules import trim
from memoryhub import language
from memoryhub.language.word_lists import Shapes, pattern

_SHAPES = Shapes(__file__)
WORDS = _SHAPES.words("words")
_STATEMENTS = [
    (told, pattern(said, _SHAPES.rows)) for told, said in (row.split(" => ") for row in _SHAPES.rows["statements"])
]


def statements(sentence: str, known: Collection[str]) -> Iterator[str]:
    """Yield what the sentence ends or corrects of the known facts, as statements about the member."""
    text = trim.bare(sentence)
    for told, said in _STATEMENTS:
        found = said.search(text)
        name = (found["name"] or found.groupdict().get("other")) if found else ""
        if name and any(_has(fact, name) for fact in known):
            yield told.format(name)
            return
    if found := _SHAPES["cancelled"].search(text):
        about = set(map(language.stem, language.content(found["thing"])))
        if any(about & set(map(language.stem, language.content(fact))) for fact in known):
            yield f"Cancelled the {found['thing']}"
    if found := _SHAPES["corrected"].search(text):
        for fact in known:
            if _has(fact, found["wrong"]) and not _has(fact, "not"):
                right = re.sub(rf"\b{re.escape(found['wrong'])}\b", found["name"], fact.rstrip("."))
                yield f"{right}, not {found['wrong']}"


def _has(fact: str, name: str) -> bool:
    return bool(re.search(rf"\b{re.escape(name)}\b", fact))
