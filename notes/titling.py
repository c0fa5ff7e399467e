"""Name a conversation after its people and the words that come back in it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from memoryhub.language import content, stem
from notes.chatter import BEFORE_NOUN, CHATTER, NOT_A_MATTER
from notes.shapes import TITLE_CHARS
from profiles.wording import clip, listing

MATTERS = 3
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_BREAK = re.compile(r"[.!?,;:()\"“”…。！？、，\n]+|\s[-–—]\s")


def title(texts: Sequence[str], people: Iterable[str], *, channel: str = "") -> str:
    """Return at most 80 characters: the people and up to three matters; the channel where nothing comes back."""
    names = list(people)
    matters = topics(texts, names, limit=MATTERS)
    who = listing(names, limit=3)
    what = ", ".join(matters) or (f"a short talk in {channel}" if channel else "a short talk")
    for fewer in range(len(matters), 1, -1):
        whole = f"{who}: {', '.join(matters[:fewer])}"
        if len(whole) <= TITLE_CHARS:
            return whole
    return clip(f"{who}: {matters[0] if matters else what}" if who else what, TITLE_CHARS)


def topics(texts: Sequence[str], people: Iterable[str], *, limit: int) -> list[str]:
    """Return the names, word pairs and nouns that come back in the texts, the most telling first."""
    taboo = {stem(word) for name in people for word in content(name)}
    found: defaultdict[str, float] = defaultdict(float)
    shown: dict[str, Counter[str]] = {}
    for text in texts:
        for phrase, weight in _candidates(text, taboo).items():
            key = _key(phrase)
            found[key] += weight
            shown.setdefault(key, Counter())[phrase] += 1
    ranked = sorted(found, key=lambda key: (-found[key], key))
    return _distinct(
        [max(shown[key], key=lambda form: (shown[key][form], form)) for key in ranked if found[key] >= 2], limit
    )


def _candidates(text: str, taboo: set[str]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part in _BREAK.split(text):
        words = _WORD.findall(part)
        for at, word in enumerate(words):
            if not _telling(word, taboo):
                continue
            before = words[at - 1].lower() if at else ""
            name = at > 0 and word[:1].isupper()
            weights[word if name else word.lower()] = 2.0 if name else 1.0 if before in BEFORE_NOUN else 0.5
            if at and _telling(words[at - 1], taboo):
                pair = f"{words[at - 1]} {word}"
                weights[pair if name else pair.lower()] = 1.2
    return weights


def _telling(word: str, taboo: set[str]) -> bool:
    low = word.lower()
    return (
        len(word) > 2
        and bool(content(low))
        and low not in CHATTER
        and low not in NOT_A_MATTER
        and stem(low) not in taboo
        and not low.isdigit()
    )


def _key(phrase: str) -> str:
    return " ".join(stem(word) for word in phrase.lower().split())


def _distinct(phrases: list[str], limit: int) -> list[str]:
    kept: list[str] = []
    for phrase in phrases:
        parts = set(_key(phrase).split())
        if len(kept) < limit and not any(parts & set(_key(other).split()) for other in kept):
            kept.append(phrase)
    return kept
