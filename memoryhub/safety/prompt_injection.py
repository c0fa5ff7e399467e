"""Text that orders a bot or a model about, by words in context."""

from __future__ import annotations

from functools import lru_cache

from memoryhub.language.word_lists import Shapes
from memoryhub.safety.chunks import parts
from memoryhub.safety.deobfuscation import readings

_SHAPES = Shapes(__file__)


SHORT = 1_000  # characters of a text that is remembered


def carries_instruction(text: str) -> bool:
    """Say if `text`, in any reading, orders a bot or model about; the time it takes grows with the length only."""
    return _known(text) if len(text) <= SHORT else _carries_instruction(text)


@lru_cache(maxsize=1024)  # the words of one conversation are asked about as lines, facts, titles and sentences
def _known(text: str) -> bool:
    return _carries_instruction(text)


def _carries_instruction(text: str) -> bool:
    for reading in readings(text):
        for part in parts(reading):
            clauses = _SHAPES["clause"].split(part) if _SHAPES["named"].search(part) else []
            named = [clause for clause in clauses if _SHAPES["named"].search(clause)]
            if not all(map(_SHAPES["statement"].match, named)) or _SHAPES["ordered"].search(part):
                return True
    return False


def is_code(text: str) -> bool:
    """Say if the text holds a piece of a program rather than words."""
    return bool(_SHAPES["code"].search(text))


def looks_like_code(text: str) -> bool:
    """Say if marks of a page or a program stand in a text, as in "<b>bold</b>": it may be words all the same."""
    return bool(_SHAPES["markup"].search(text))


def is_request(text: str) -> bool:
    """Say if a text that should state a fact asks or orders instead: "What is ...?", "Explain ..."."""
    return bool(_SHAPES["request"].search(text))
