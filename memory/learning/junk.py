"""How likely a learned fact is junk: ungrounded, vague, about the bot, said already, an order, or true for a moment."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from memory.facts.proposal import Score, Sign
from memory.rules import patterns, transient
from memoryhub import language
from memoryhub.language.word_lists import listed, pattern, rows
from memoryhub.safety import carries_instruction, share_said

Weighed = list[tuple[re.Pattern[str], float]]
_WORDS = rows(Path(__file__).with_suffix(".txt"))
_EMPTY, _TURNING = (listed(" ".join(_WORDS[heading])) for heading in ("empty", "turning"))
_POINTING, _ABOUT_THE_BOT, _ORDER, _FOR_NOW, _TASK = (
    [(pattern(shape, _WORDS), float(weight)) for weight, shape in (row.split(" ", 1) for row in _WORDS[heading])]
    for heading in ("pointing", "about the bot", "order", "for now", "task")
)
_DIET = pattern(r"^(?:can['’]?t|cannot|doesn['’]?t|does not|never) (?:have|eat|drink)s?\b")
SHORT = 3  # telling words, up to which a fact that points at something points out of itself
BARE = {0: 0.85, 1: 0.1}  # telling words, and what so few weigh
# Share of its words that the message says, and what less than that weighs; the guards refuse what is under 0.4.
HARDLY_SAID = ((0.5, 0.65), (0.6, 0.35), (0.7, 0.15))
IN_OTHER_WORDS = 0.15  # weighs as much where the meaning was compared
DUPLICATE = ((0.85, 0.9), (0.7, 0.7), (0.6, 0.5))  # share of common words, and what it weighs
TITLES: dict[Sign, str] = {
    "ungrounded": "its message hardly says it",
    "vague": "it says too little to be of use",
    "about_the_bot": "it is about the bot",
    "near_duplicate": "nearly the same is known",
    "instruction": "it reads like an order",
    "ephemeral": "it is true only for a moment",
}


def score(
    text: str, *, source: str, known: Iterable[str] = (), bots: Collection[str] = (), paraphrased: bool = False
) -> Score:
    """Weigh a fact beside the messages it rests on and what is known of the same subject; `bots` are bots' names.

    `paraphrased`: it has other words than its messages, but their meaning. Signs add up like independent doubts: two of
    a half make three quarters.
    """
    said = share_said(text, source) if source else 1.0
    hardly = next((weight for below, weight in HARDLY_SAID if said < below), 0.0)
    telling = len({word for word in language.content(text) if word not in _EMPTY}) or int(_is_state(text))
    # What is pointed at may stand in the fact itself, if it tells much.
    pointing = _together(_found(_POINTING, text)) * min(1.0, SHORT / max(telling, 1))
    named = any(language.tokens(text)[:1] == [bot.casefold()] for bot in bots)
    stems = _stems(text)
    # A mood and what one is about to do are one doubt, trouble with a program is another.
    mood = 0.55 * (transient.is_passing(text) and not _DIET.search(text))
    weights: dict[Sign, float] = {
        "ungrounded": min(hardly, IN_OTHER_WORDS) if paraphrased else hardly,
        "vague": _together([BARE.get(telling, 0.0), pointing]),
        "about_the_bot": 0.9 if named else max(_found(_ABOUT_THE_BOT, text), default=0.0),
        "near_duplicate": max((_alike(stems, _stems(other)) for other in known), default=0.0),
        "instruction": 0.9 if carries_instruction(source) else max(_found(_ORDER, text), default=0.0),
        "ephemeral": _together(
            [max(mood, *_found(_FOR_NOW, text), 0.0), 0.5 * transient.is_technical(text), *_found(_TASK, text)]
        ),
    }
    signs = sorted((sign for sign, weight in weights.items() if weight >= 0.2), key=lambda sign: -weights[sign])
    return Score(round(_together(weights.values()), 3), signs)


def _is_state(text: str) -> bool:
    """Say if a text of nothing but empty words has the shape of a state, which tells enough: "Works part time."."""
    slot = patterns.slot_of(text)
    return bool(slot and slot.name not in patterns.VAGUE and slot.kind in ("profile", "relationship"))


def _together(doubts: Iterable[float]) -> float:
    return 1 - math.prod(1 - doubt for doubt in doubts)


def _found(patterns: Weighed, text: str) -> list[float]:
    return [weight for shape, weight in patterns if shape.search(text)]


def _stems(text: str) -> frozenset[str]:
    """Return the stems of the words that carry meaning, and of those that turn it round."""
    words = language.tokens(text)
    kept = {word for word in words if word in _TURNING or word.endswith("n't")}
    return frozenset(language.stem(word) for word in kept.union(language.content(text)))


def _alike(words: frozenset[str], others: frozenset[str]) -> float:
    """Weigh the words in common; another day, number or "not" is another thing."""
    share = len(words & others) / len(words | others) if words and others else 0.0
    if share < 1 and any(word.isdigit() or word in _TURNING for word in words ^ others):
        return 0.0
    return next((weight for least, weight in DUPLICATE if share >= least), 0.0)
