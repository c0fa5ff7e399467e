"""How likely a learned fact is junk: ungrounded, vague, about the bot, said already, an order, or true for a moment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from memory.facts.proposal import Score, Sign
from memory.learning import junk_signs as signs
from memory.rules import transient
from memoryhub import language
from memoryhub.safety import carries_instruction, share_said

Weighed = signs.Weighed
TITLES: dict[Sign, str] = {
    "ungrounded": "its message hardly says it",
    "vague": "it says too little to be of use",
    "about_the_bot": "it is about the bot",
    "near_duplicate": "nearly the same is known",
    "instruction": "it reads like an order",
    "ephemeral": "it is true only for a moment",
}


def score(text: str, *, source: str, known: Iterable[str] = (), bots: Collection[str] = ()) -> Score:
    """Weigh a fact beside the messages it rests on and what is known of the same subject; `bots` are bots' names.

    Signs add up like independent doubts: two of a half make three quarters.
    """
    weights: dict[Sign, float] = {
        "ungrounded": _ungrounded(text, source),
        "vague": _vague(text),
        "about_the_bot": _about(text, bots),
        "near_duplicate": _near(text, known),
        "instruction": 0.9 if carries_instruction(source) else _strongest(signs.ORDER, text),
        "ephemeral": _ephemeral(text),
    }
    return _summed(weights)


def _summed(weights: dict[Sign, float]) -> Score:
    told = sorted((sign for sign, weight in weights.items() if weight >= 0.2), key=lambda sign: -weights[sign])
    return Score(round(_together(weights.values()), 3), told)


def _together(doubts: Iterable[float]) -> float:
    trust = 1.0
    for doubt in doubts:
        trust *= 1 - doubt
    return 1 - trust


def _found(patterns: Iterable[Weighed], text: str) -> Iterator[float]:
    return (weight for pattern, weight in patterns if pattern.search(text))


def _strongest(patterns: Iterable[Weighed], text: str) -> float:
    return max(_found(patterns, text), default=0.0)


def _ungrounded(text: str, source: str) -> float:
    said = share_said(text, source) if source else 1.0
    return next((weight for below, weight in signs.HARDLY_SAID if said < below), 0.0)


def _vague(text: str) -> float:
    """What is pointed at may stand in the fact itself, if it tells much."""
    telling = len({word for word in language.content(text) if word not in signs.EMPTY})
    bare = {0: 0.85, 1: 0.1}.get(telling, 0.0)
    return _together((bare, _together(_found(signs.POINTING, text)) * min(1.0, signs.SHORT / max(telling, 1))))


def _ephemeral(text: str) -> float:
    """A mood and what one is about to do are one doubt, trouble with a program is another."""
    passes = transient.passing(text) and not signs.DIET.search(text)
    mood = max(0.55 * passes, _strongest(signs.FOR_NOW, text))
    return _together((mood, 0.5 * transient.technical(text), *_found(signs.TASK, text)))


def _about(text: str, bots: Collection[str]) -> float:
    words = language.tokens(text)
    named = bool(words) and any(words[0] == bot.casefold() for bot in bots)
    return 0.9 if named else _strongest(signs.ABOUT_THE_BOT, text)


def _near(text: str, known: Iterable[str]) -> float:
    words = _stems(text)
    return max((_alike(words, _stems(other)) for other in known), default=0.0) if words else 0.0


def _alike(words: frozenset[str], others: frozenset[str]) -> float:
    """Weigh the words in common; another day, number or "not" is another thing."""
    share = len(words & others) / len(words | others) if others else 0.0
    if share < 1 and any(word.isdigit() or word in signs.TURNING for word in words ^ others):
        return 0.0
    return next((weight for least, weight in signs.DUPLICATE if share >= least), 0.0)


def _stems(text: str) -> frozenset[str]:
    """Return the stems of the words that carry meaning, and of those that turn it round."""
    words = language.tokens(text)
    kept = {word for word in words if word in signs.TURNING or word.endswith("n't")}
    return frozenset(language.stem(word) for word in kept.union(language.content(text)))
