"""Text that orders a bot or a model about, by words in context."""

from __future__ import annotations

import re
from pathlib import Path

from memoryhub.language import word_lists
from memoryhub.safety.chunks import NOT_INSIDE, parts
from memoryhub.safety.deobfuscation import readings

_SHAPES = word_lists.rows(Path(__file__).with_suffix(".txt"))
_INSTRUCTION = word_lists.pattern(f"(?m){NOT_INSIDE}(?:{'|'.join(_SHAPES['instruction'])})", _SHAPES)
_NAMED = word_lists.pattern("{named}", _SHAPES)
_REQUEST = word_lists.pattern("|".join(_SHAPES["request"]), _SHAPES)
_STATEMENT = re.compile(
    r"\W*(?:(?:i|we|my|our|their|they|he|she)\b(?! (?:am|are|is|was) (?:an? |the |your )?(?:admin|developer|owner"
    r"|system))|(?:(?:now|also|still|currently|recently|formerly|once) )*(?:is|was|has|had|wrote|built|ran|gave"
    r"|(?!pas|dis)\w+[^\W s]s|\w+ed)\b)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.!?:;\n]+|,\s*(?:and|so|but|then)\b")
_CODE = re.compile(
    r"```|^[ \t]*(?:import \w[\w.]*(?:[ \t]*,[ \t]*\w[\w.]*)*(?: as \w+)?[ \t]*$|from [\w.]+ import )"
    r"|^[ \t]*(?:[\w.\[\]'\", ]{1,60} = )?(?:await )?\w+(?:\.\w+)+(?:\(|\[)|^[ \t]*[\w., ]{1,60} = \S"
    r"|^[ \t]*(?:async |with |for |while |def |class )\S.{0,200}:[ \t]*$",
    re.MULTILINE,
)


def carries_instruction(text: str) -> bool:
    """Say if `text`, in any reading, orders a bot or model about; the time it takes grows with the length only."""
    for reading in readings(text):
        for part in parts(reading):
            clauses = _CLAUSE.split(part) if _NAMED.search(part) else []
            named = any(_NAMED.search(clause) and not _STATEMENT.match(clause) for clause in clauses)
            if named or _INSTRUCTION.search(part):
                return True
    return False


def is_code(text: str) -> bool:
    """Say if the text holds a piece of a program rather than words."""
    return bool(_CODE.search(text))


def is_request(text: str) -> bool:
    """Say if a text that should state a fact asks or orders instead: "What is ...?", "Explain ..."."""
    return bool(_REQUEST.search(text))
