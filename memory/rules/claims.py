"""What a stored fact claims, as far as rules can read it: its words by stem, its polarity, what it is about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from memory.rules import patterns
from memoryhub import language
from memoryhub.language.word_lists import load, pattern, rows

WORDS = rows(Path(__file__).with_suffix(".txt"))
_SAME_CLAIM = {word: row.split()[0] for row in WORDS["same claim"] for word in row.split()}
_SPELLINGS = {first: [word for word in _SAME_CLAIM if _SAME_CLAIM[word] == first] for first in _SAME_CLAIM.values()}
_LISTS = load(Path(__file__).with_suffix(".txt"))
_CALENDAR, NUMBERS = _LISTS["calendar"], _LISTS["numbers"]
_REASON = pattern(r",?\s*\b(?:because|since|after|when|while|due to|so that|although|but|which|who)\b.*$")
_DATE = pattern(
    r"\b(?:in|on|since|by|until)\s+(?:early |late |the (?:week|weekend) of )?(?:\d{1,2} )?(?:(?:january|february"
    r"|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter)\s+)?(?:19"
    r"|20)\d\d(?:/\d\d)?\b"
)
_NEGATIVE = pattern(
    r"^(?:really |now |also |still )*(?:hates?|dislikes?|despises|loathes|can['’]t stand|no longer|never|doesn['’]t"
    r"|isn['’]t|is not|is no longer|does not|has no|has never|hasn['’]t|stopped|quit|gave up|avoids|is (?:sick"
    r"|tired) of|got bored of|fell out of love with)\b|\b(?:anymore|any more|any longer)\b"
)
_PAST = pattern(r"^(?:used to|formerly|previously|once|had been|was (?:once|formerly))\b")
_ENDED = pattern(r"^(?:no longer|stopped|quit|gave up|is no longer)\b|\b(?:anymore|any more|any longer)\b")
_HEAD = pattern(
    r"(?P<head>[\w'’-]+)(?=\s*(?:[,;.(]|$)|\s+(?:with|of|named|called|for|in|on|at|from|to|by|about|as|who|that|which|and|or"
    r"|every|each|daily|weekly|once|twice|now|again|all|most|last|this|next|a|the|their|while|during|since)\b)"
)


@dataclass(frozen=True)
class Claim:
    """A fact's text, read."""

    text: str

    @cached_property
    def bare(self) -> str:
        """The text without its date and its reason."""
        return _DATE.sub("", _REASON.sub("", self.text)).strip(" .,")

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of all words that carry meaning; words for the same claim fall together."""
        return frozenset(canonical(word) for word in language.content(self.bare)) - _CALENDAR

    @cached_property
    def whole(self) -> frozenset[str]:
        """Stems of all words that carry meaning, those of the reason too."""
        return frozenset(canonical(word) for word in language.content(_DATE.sub("", self.text))) - _CALENDAR - FRAME

    @cached_property
    def about(self) -> frozenset[str]:
        """Stems of the words beyond the frame of the sentence: what it is about."""
        return frozenset(word for word in self.words if word not in FRAME)

    @cached_property
    def figures(self) -> frozenset[str]:
        """Numbers in digits or words, dates left out."""
        return frozenset(word for word in language.tokens(self.bare) if word.isdigit() or word in NUMBERS)

    @cached_property
    def numbers(self) -> list[str]:
        """Words with a digit in them, in order."""
        return [word for word in language.tokens(self.bare) if any(map(str.isdigit, word))]

    @cached_property
    def names(self) -> frozenset[str]:
        """Words with a capital inside the sentence."""
        return frozenset(name.casefold() for name in language.names(self.bare))

    @cached_property
    def heads(self) -> frozenset[str]:
        """Stems of the last word of each group of words: the stand of "a laptop stand", not the laptop."""
        return frozenset(canonical(found["head"].lower()) for found in _HEAD.finditer(self.bare))

    @cached_property
    def slot(self) -> patterns.Slot | None:
        """The shape it has, if any."""
        return patterns.slot_of(self.text)

    @cached_property
    def dates(self) -> frozenset[str]:
        """The dates it tells, as written."""
        return frozenset(found.casefold() for found in _DATE.findall(self.text))

    @cached_property
    def negative(self) -> bool:
        """Does it deny?"""
        return bool(_NEGATIVE.search(self.text))

    @cached_property
    def ended(self) -> bool:
        """Does it say that something is over?"""
        return bool(_ENDED.search(self.text))

    @cached_property
    def past(self) -> bool:
        """Does it tell only of former times?"""
        return bool(_PAST.match(self.text))


@lru_cache(maxsize=2_000)
def read(text: str) -> Claim:
    """Return the claim of a text; of one conversation the same few are read again and again."""
    return Claim(text)


def canonical(word: str) -> str:
    """Return the stem of a word, or the word that stands for all that claim the same."""
    if word in _SAME_CLAIM:
        return _SAME_CLAIM[word]
    stem = language.stem(word)
    return _SAME_CLAIM.get(stem, stem)


def spellings(word: str) -> set[str]:
    """Return how a word begins, as written, when `Claim.words` may tell it as this one: stems are beginnings."""
    return {word, *_SPELLINGS.get(word, ())}


FRAME = frozenset(canonical(word) for word in _LISTS["frame"])
