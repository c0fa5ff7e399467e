"""What lasts of a third-person statement and what passes: a moment, a mood, a courtesy, program text; or a life."""

from __future__ import annotations

from memory.rules import patterns
from memoryhub import language
from memoryhub.language import grammar
from memoryhub.language.word_lists import Shapes

_SHAPES = Shapes(__file__, patterns.SHAPES.rows)
EMPTY_ALONE = _SHAPES.words("effort")
"""Slots that tell nothing without what it is about."""
_OF_OTHERS, _OF_DOINGS = _SHAPES.words("of others"), _SHAPES.words("of doings")
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


def lasts_among_many(text: str, slot: patterns.Slot | None) -> bool:
    """Say if a statement is kept where more than two talk: what was done once, or is so this week, is small talk there.

    What has no known shape must be a turn of a life or a habit, or tell of a long time, a month or a year; kin and pets
    must do more than something now.
    """
    if slot and slot.name in _OF_OTHERS and text.startswith("Their "):
        return bool(_SHAPES["they_tell"].match(text))
    if is_turn(text):
        return True
    if slot is None:
        return not _SHAPES["of_days"].search(text) and (is_lasting(text) or bool(_SHAPES["dated"].search(text)))
    return slot.name not in _OF_DOINGS or not _SHAPES["of_days"].search(text)


def is_personal(text: str) -> bool:
    """Say if a third-person statement touches a person's life: people, places, pastimes, turns, or long times."""
    if is_turn(text) or is_lasting(text) or _SHAPES["nouns"].search(text):
        return True
    if _SHAPES["dated"].search(text) and grammar.is_past(text.split()[0]):
        return True
    return not _LIFE.isdisjoint(language.stems(text))
