"""What a member tells of a name that a known fact of theirs has: it died, they broke up, it is spelled otherwise."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from memory.rules import claims, trim
from memoryhub import language
from memoryhub.language.word_lists import Shapes, pattern

_SHAPES = Shapes(__file__)
WORDS = _SHAPES.words("words")
_STATEMENTS, _THINGS = (
    [(told, pattern(said, _SHAPES.rows)) for told, said in (row.split(" => ") for row in _SHAPES.rows[heading])]
    for heading in ("statements", "things")
)


def statements(sentence: str, known: Collection[str]) -> Iterator[str]:
    """Yield what the sentence ends or corrects of the known facts, as statements about the member."""
    text = trim.bare(sentence)
    for told, said in _STATEMENTS:
        found = said.search(text)
        name = (found["name"] or found.groupdict().get("other")) if found else ""
        if name and any(_has(fact, name) for fact in known):
            yield told.format(name)
            return
    for told, said in _THINGS:
        found = said.search(text)
        if found and any(_is_about(fact, found["thing"]) for fact in known):
            yield told.format(found["thing"])
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


def with_subject(sentence: str) -> str:
    """Return a sentence that opens with a turn ("dropped Notion", "back to five days") as one of its speaker's."""
    text = trim.bare(sentence)
    found = _SHAPES["elided"].match(text)
    return f"I{'' if found['did'] else ' am'} {text[0].lower()}{text[1:]}" if found else sentence


def _is_about(fact: str, thing: str) -> bool:
    """Say if the thing's last word stands in the fact."""
    return claims.canonical(thing.split()[-1].lower()) in claims.read(fact).words


def _has(fact: str, name: str) -> bool:
    return bool(re.search(rf"\b{re.escape(name)}\b", fact))
