"""Whether a talk is about work at a screen: states of a task pass there, and only what tells of a life lasts."""

from __future__ import annotations

from collections.abc import Sequence

from memory.rules import transient
from memory.rules.patterns import Slot
from memoryhub import language
from memoryhub.ai.chat_fence import Line
from memoryhub.language.word_lists import Shapes, spoken

_SHAPES = Shapes(__file__)
_WORDS, _ALWAYS, _TELLABLE, _ATTITUDES = (
    _SHAPES.words(heading) for heading in ("words", "whatever is said", "tellable", "attitudes")
)
LEAST_WORDS = 4  # of a line that tells what a talk is about
SHARE = 0.15  # of such lines with a word of the work; talks of a life have some .03, those of programmers .25 and more
CHANCE = 2  # lines that may have one by chance, however short the talk
SURE = 2  # words of the work that make a sentence one of it wherever it stands


def is_work(lines: Sequence[Line]) -> bool:
    """Say if the talk that the lines are of is about work at a screen."""
    texts = [text for line in lines if len((text := language.clean(line.text)).split()) >= LEAST_WORDS]
    of_work = (bool(_SHAPES["code"].search(text)) or not _WORDS.isdisjoint(spoken(text)) for text in texts)
    return sum(of_work) > CHANCE + SHARE * len(texts)


def is_sure(sentence: str) -> bool:
    """Say if a sentence alone shows that it is about such work."""
    return len(_WORDS & spoken(sentence)) >= SURE


def lasts(text: str, slot: Slot | None) -> bool:
    """Say if a third-person statement from such a talk tells of a life, not of a state of the task."""
    if _SHAPES["task"].search(text) or transient.is_technical(text):
        return False
    if (slot and slot.name in _ALWAYS) or _SHAPES["career"].match(text):
        return True
    telling = slot and (slot.name in _TELLABLE or (slot.name in _ATTITUDES and transient.is_personal(text)))
    return bool(telling) and _WORDS.isdisjoint(spoken(text))
