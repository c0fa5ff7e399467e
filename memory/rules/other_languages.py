"""The commonest statements in Spanish, German, French and Portuguese.

The frame is put in English. The value stays as it was said: a name as it is ("Lives in Madrid."), other words between
quotation marks ("Works as "enfermera"."), since translating them would be guessing.
"""

from __future__ import annotations

import re
from typing import cast

from memory.facts.kinds import Kind
from memoryhub.language.word_lists import Shapes, pattern

_SHAPES = Shapes(__file__)
_ROWS = [row.split("=> ") for row in _SHAPES.rows["statements"]]
_STATEMENTS = [
    (kind, text, pattern(rf"{{before}}(?:{said})\s*(?P<value>[^\s,.!;:][^,.!;:]*)", _SHAPES.rows))
    for (kind, text), said in ((form.split(" ", 1), said) for form, said in _ROWS)
]
OPENING_WORDS = frozenset(re.findall(r"[\w']+", " ".join(said for _, said in _ROWS).lower().replace("['’]", "'")))


def statement(sentence: str) -> tuple[Kind, str] | None:
    """Return the kind and the text of the fact that a sentence in one of these shapes tells."""
    for kind, text, said in _STATEMENTS:
        match = said.match(sentence.strip())
        if not match or _SHAPES["denied"].search(_SHAPES["contrast"].sub("", match["value"])):
            continue
        value = _SHAPES["stop"].sub("", match["value"]).strip()
        if value and len(value.split()) <= 6 and not _SHAPES["pointing"].search(value):
            place_or_name = text.endswith(("in {}", "to {}", "from {}", "at {}", "named {}"))
            plain = _SHAPES["plain"].match(value) and (place_or_name or not _SHAPES["capital_nouns"].match(sentence))
            return cast("Kind", kind), text.format(value if plain else f'"{value}"') + "."
    return None
