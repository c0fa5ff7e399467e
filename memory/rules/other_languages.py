"""The commonest statements in Spanish, German, French and Portuguese.

The frame is put in English. The value stays as it was said: a name as it is ("Lives in Madrid."), other words between
quotation marks ("Works as "enfermera"."), since translating them would be guessing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

from memory.facts.kinds import Kind
from memoryhub.language.word_lists import pattern, rows

_BEFORE = r"^(?:[¡¿]|(?:y|pero|und|aber|et|mais|e|oi|hola|hallo|salut|bonjour|pues|also|alors)[ ,]+)*"
_ROWS = [row.split("=> ") for row in rows(Path(__file__).with_suffix(".txt"))["statements"]]
_STATEMENTS = [
    (kind, text, pattern(rf"{_BEFORE}(?:{said})\s*(?P<value>[^\s,.!;:][^,.!;:]*)"))
    for (kind, text), said in ((form.split(" ", 1), said) for form, said in _ROWS)
]
OPENING_WORDS = frozenset(re.findall(r"[\w']+", " ".join(said for _, said in _ROWS).lower().replace("['’]", "'")))
_STOP = pattern(
    r"\s+(?:y|pero|porque|und|aber|weil|seit|desde|depuis|et|mais|parce|car|e|mas|hace|vor|há|gezogen|umgezogen|con"
    r"|mit|avec|com|que|dass|de\s+(?=\d)|en\s+(?=\d)|in\s+(?=\d))\s*.*$|\s+(?:um)?gezogen$"
)
_POINTING = pattern(
    r"^(?:que|dass|das|es|esto|eso|ça|cela|isso|isto|dich|dir|te|tu|toi|você|quand|cuando|wenn|ihn|sie|lo|la|le"
    r"|les)$|\b(?:te|dich|toi|você|tu|dein\w*)\b"
)
_PLAIN = re.compile(r"(?:[A-ZÀ-Þ][\w'’-]*)(?:\s+(?:de|del|la|von|am|du|da|do|[A-ZÀ-Þ][\w'’-]*))*$")
_CAPITAL_NOUNS = pattern(r"^(?:ich|mein|und)\b")  # German writes every noun with a capital


def statement(sentence: str) -> tuple[Kind, str] | None:
    """Return the kind and the text of the fact that a sentence in one of these shapes tells."""
    for kind, text, said in _STATEMENTS:
        match = said.match(sentence.strip())
        value = _STOP.sub("", match["value"]).strip() if match else ""
        if value and len(value.split()) <= 6 and not _POINTING.search(value):
            place_or_name = text.endswith(("in {}", "to {}", "from {}", "at {}", "named {}"))
            plain = _PLAIN.match(value) and (place_or_name or not _CAPITAL_NOUNS.match(sentence))
            return cast("Kind", kind), text.format(value if plain else f'"{value}"') + "."
    return None
