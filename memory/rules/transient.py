"""What lasts of a third-person statement and what passes: a moment, a mood, a courtesy, program text; or a life."""

from __future__ import annotations

from memory.rules import patterns
from memoryhub import language
from memoryhub.language import grammar
from memoryhub.language.word_lists import Shapes

_SHAPES = Shapes(__file__, patterns.SHAPES.rows)
EMPTY_ALONE = _SHAPES.words("effort")
"""Slots that tell nothing without what it is about."""
_ONCE = frozenset({"was", "were", "had", "has", "can't"})
_LIFE = frozenset(map(language.stem, _SHAPES.words("life")))


def is_passing(text: str) -> bool:
    """Say if a third-person statement tells only of a moment, a mood or a courtesy."""
    passing = _SHAPES["is_passing"].match(text) and not _SHAPES["is_lasting"].search(text)
    return bool(passing or _SHAPES["small_talk"].search(text))


def is_technical(text: str) -> bool:
    """Say if a statement has the marks of program text: somebody works on it now, and nobody will ask for it later."""
    return bool(_SHAPES["program"].search(text))


def is_turn(text: str) -> bool:
    """Say if a third-person statement opens with a turn of a life: such a one may be short."""
    return bool(_SHAPES["is_turn"].match(text))


def is_lasting(text: str) -> bool:
    """Say if a statement tells of a long time or of a habit."""
    return bool(_SHAPES["over_time"].search(text))


def is_anecdote(text: str) -> bool:
    """Say if a statement of no known shape tells what happened or went wrong once: among many it is small talk."""
    words = text.lower().split()
    doings = words[2:5] if words[0] == "their" else words[:1]
    once = any(word in _ONCE or grammar.is_past(word) for word in doings) or bool(_SHAPES["just_now"].match(text))
    return once and not (is_turn(text) or is_lasting(text))


def is_personal(text: str) -> bool:
    """Say if a third-person statement touches a person's life: people, places, pastimes, turns, or long times."""
    if is_turn(text) or is_lasting(text) or _SHAPES["nouns"].search(text):
        return True
    if _SHAPES["dated"].search(text) and grammar.is_past(text.split()[0]):
        return True
    return not _LIFE.isdisjoint(language.stems(text))
