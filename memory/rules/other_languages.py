"""The commonest statements in Spanish, German, French and Portuguese.

The frame is put in English. The value stays as it was said: a name as it is ("Lives in Madrid."), other words between
quotation marks ("Works as "enfermera"."), since translating them would be guessing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import cast

from memory.facts.kinds import Kind
from memoryhub import language
from memoryhub.language.word_lists import Shapes, pattern, spoken

SHAPES = _SHAPES = Shapes(__file__)
_ROWS = [row.split("=> ") for row in _SHAPES.rows["statements"]]
_STATEMENTS = [
    (kind, text, pattern(rf"{{before}}(?:{said})(?!(?<=\w)\w)\s*(?P<value>[^\s,.!;:][^,.!;:]*)", _SHAPES.rows))
    for (kind, text), said in ((form.split(" ", 1), said) for form, said in _ROWS)
]
_NOUNS, _COUNTS = (
    [(told, pattern(said)) for told, said in (row.split(" => ") for row in _SHAPES.rows[heading])]
    for heading in ("nouns", "counts")
)
_SHAPES.rows |= {"noun": [said.pattern for _, said in _NOUNS], "count": [said.pattern for _, said in _COUNTS]}
_BESIDE = {
    "name": " named {}", "place": " who lives in {}", "trade": ' who works as "{}"', "age": " who is {} years old",
}  # fmt: skip
_DATED = ("Moved", "Got married")
_MINE = frozenset({"mi", "mein", "meine", "mon", "ma", "meu", "minha"})
_EVERYBODYS = _SHAPES.words("everybody")
OPENING_WORDS = _SHAPES.words("opening") | frozenset(
    re.findall(r"[\w']+", " ".join(said for _, said in _ROWS).lower().replace("['’]", "'"))
)


def statements(sentence: str, *, said_at: datetime) -> Iterator[tuple[Kind, str]]:
    """Yield the kind and the text of each fact that a clause of the sentence tells in one of these shapes, each once.

    What follows a condition, a guess or what somebody else says is nobody's statement.
    """
    told: set[str] = set()
    for begin in (0, *(match.end() for match in _SHAPES["clause"].finditer(sentence))):
        if begin and _SHAPES["unsure"].search(sentence[:begin]):
            return
        if (found := _statement(sentence[begin:], said_at=said_at)) and found[1] not in told:
            told.add(found[1])
            yield found


def _statement(sentence: str, *, said_at: datetime) -> tuple[Kind, str] | None:
    """Return the kind and the text of the fact that a clause opens with; a date is no place."""
    sentence = _in_order(sentence.strip())
    if had := _had(sentence):
        return "relationship", had
    for kind, text, said in _STATEMENTS:
        match = said.match(sentence)
        if not match or _SHAPES["denied"].search(_SHAPES["contrast"].sub("", match["value"])):
            continue
        dates, begin = language.dates.find(match.string, said_at=said_at), match.start("value")
        end = min([match.end(), *(when.begin for when in dates if when.begin > begin)])
        value = _SHAPES["stop"].sub("", match.string[begin:end]).strip()
        if value and len(value.split()) <= 6 and not _SHAPES["pointing"].search(value):
            place_or_name = text.endswith(("in {}", "to {}", "from {}", "at {}", "named {}", "called {}"))
            capital_says_name = place_or_name or not _SHAPES["capital_nouns"].match(sentence)
            plain = value.isdigit() or (_SHAPES["plain"].match(value) and capital_says_name)
            when = f" {dates[0].written}" if dates and text.startswith(_DATED) else ""
            return cast("Kind", kind), text.format(value if plain else f'"{value}"') + f"{when}."
    return None


def _in_order(sentence: str) -> str:
    """Return a German clause with "ich" and its verb in front: "seit März arbeite ich bei Bosch", "Bin bei Bosch"."""
    found = _SHAPES["german"].match(sentence)
    if not found or (found["front"] and not found["ich"]):
        return sentence
    verb = found["verb"].lower()
    return f"ich {verb if verb == 'bin' or verb.endswith(('b', 'e')) else f'{verb}e'} {found['rest']}"  # "ich komm"


def presupposed(sentence: str) -> str | None:
    """Return "Has a wife." where a member tells whatever of "ma femme", and not that she is gone; her name, if told."""
    found = None if _MINE.isdisjoint(spoken(sentence)) else _SHAPES["presupposed"].search(sentence)
    if not found or _SHAPES["gone"].search(sentence):
        return None
    noun = found["named"] or found["noun"]
    if _SHAPES["unsure"].search(sentence[: sentence.index(noun)]):  # behind it "se" is no "if": "mi hermana se casa"
        return None
    one = noun_in_english(noun)
    if one and found["name"]:
        return f"Has {'an' if one[0] in 'aeiou' else 'a'} {one} named {found['name']}."
    return f"Has a {one}." if one and one not in _EVERYBODYS else None


def noun_in_english(word: str) -> str | None:
    """Return the English noun for whom or what one may have, None where it is none of those known."""
    return next((told.split()[0] for told, shape in _NOUNS if shape.fullmatch(word)), None)


def _had(clause: str) -> str | None:
    """Return whom or what somebody has: "Has three dogs." from "tengo tres perros"; names stay as said."""
    found = _SHAPES["had"].match(clause) or _SHAPES["own"].match(clause)
    if not found:
        return None
    said = {"count": "", "none": "", "place": "", "trade": "", "age": "", **found.groupdict()}
    count = next((number for number, shape in _COUNTS if said["count"] and shape.fullmatch(said["count"])), "a")
    one, several = next(told.split() for told, shape in _NOUNS if shape.fullmatch(said["noun"]))
    if said["none"]:
        count = "no"
    thing = one if count == "a" else several
    beside = next((told.format(said[part]) for part, told in _BESIDE.items() if said[part]), "")
    return f"Has {'an' if count == 'a' and thing[0] in 'aeiou' else count} {thing}{beside}."
