"""What a stored fact claims, as far as rules can read it: its words by stem, its polarity, what it is about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from memory.rules import patterns
from memoryhub import language
from memoryhub.language.grammar import is_past
from memoryhub.language.word_lists import Shapes

_SHAPES = Shapes(__file__)
_SAME_CLAIM = {word: row.split()[0] for row in _SHAPES.rows["same claim"] for word in row.split()}
_SPELLINGS = {first: [word for word in _SAME_CLAIM if _SAME_CLAIM[word] == first] for first in _SAME_CLAIM.values()}
_CALENDAR, NUMBERS = _SHAPES.words("calendar"), _SHAPES.words("numbers")
_REASONS, _CENTURIES = _SHAPES.rows["reasons"][0].split("|"), ("19", "20")  # without one there is no reason, no date
KEPT = 6_000  # statements that a process keeps as read, of 4 kB at most
T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801  as Python's own
    """An attribute that is worked out once: without the lock of Python 3.11's, which cost more than most of these."""

    def __init__(self, work: Callable[[Any], T]) -> None:
        self.work, self.__doc__ = work, work.__doc__

    def __set_name__(self, _owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, _owner: type) -> T:
        found = instance.__dict__[self.name] = self.work(instance)
        return found


@dataclass(frozen=True)
class Claim:
    """A fact's text, read."""

    text: str

    @cached_property
    def undated(self) -> str:
        """The text without its date."""
        return _without_date(self.text)

    @cached_property
    def bare(self) -> str:
        """The text without its date and its reason; a denial gives its reason in a clause of its own, too."""
        text = _SHAPES["why"].sub("", self.text) if self.negative else self.text
        plain = text.lower()
        if not plain.isascii() or any(reason in plain for reason in _REASONS):
            text = _SHAPES["reason"].sub("", text)
        return _without_date(text).strip(" .,")

    @cached_property
    def tokens(self) -> list[str]:
        """The words of it, date and reason left out, in order."""
        return language.tokens(self.bare)

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of all words that carry meaning; words for the same claim fall together."""
        return frozenset(map(canonical, language.telling(self.tokens))) - _CALENDAR

    @cached_property
    def whole(self) -> frozenset[str]:
        """Stems of all words that carry meaning, those of the reason too."""
        return frozenset(map(canonical, language.content(self.undated))) - _CALENDAR - FRAME

    @cached_property
    def about(self) -> frozenset[str]:
        """Stems of the words beyond the frame of the sentence: what it is about."""
        return self.words - FRAME

    @cached_property
    def figures(self) -> frozenset[str]:
        """Numbers in digits or words, dates left out."""
        return frozenset(word for word in self.tokens if word in NUMBERS or word.isdigit())

    @cached_property
    def numbers(self) -> list[str]:
        """Words with a digit in them, in order."""
        return [word for word in self.tokens if not word.isalpha() and any(map(str.isdigit, word))]

    @cached_property
    def measured(self) -> frozenset[str]:
        """What it is about, without the numbers."""
        return frozenset(word for word in self.about - NUMBERS if word.isalpha() or not any(map(str.isdigit, word)))

    @cached_property
    def names(self) -> frozenset[str]:
        """Words with a capital inside the sentence."""
        return frozenset(name.casefold() for name in language.names(self.bare))

    @cached_property
    def heads(self) -> frozenset[str]:
        """Stems of the last word of each group of words: the stand of "a laptop stand", not the laptop."""
        return frozenset(canonical(found["head"].lower()) for found in _SHAPES["head"].finditer(self.bare))

    @cached_property
    def slot(self) -> patterns.Slot | None:
        """The shape it has, if any."""
        return patterns.slot_of(self.text)

    @cached_property
    def doing(self) -> str:
        """The first word: mostly its verb."""
        return self.text.split(maxsplit=1)[0].lower() if self.text else ""

    @cached_property
    def dates(self) -> frozenset[str]:
        """The dates it tells, as written."""
        return frozenset(found.casefold() for found in _SHAPES["date"].findall(self.text))

    @cached_property
    def negative(self) -> bool:
        """Does it deny? "Not because of this but for that" denies a reason only."""
        return bool(_SHAPES["negative"].search(self.text)) and not _SHAPES["other_reason"].search(self.text)

    @cached_property
    def event(self) -> bool:
        """Does it tell what was done? That is no value: two runs may have had two lengths."""
        return is_past(self.doing)

    @cached_property
    def past(self) -> bool:
        """Does it tell only of former times?"""
        return bool(_SHAPES["past"].match(self.text))


def _without_date(text: str) -> str:
    return _SHAPES["date"].sub("", text) if any(each in text for each in _CENTURIES) else text


@lru_cache(maxsize=KEPT)
def read(text: str) -> Claim:
    """Return the claim of a text; of those who talk now the same facts are read again and again."""
    return Claim(text)


@lru_cache(maxsize=20_000)
def canonical(word: str) -> str:
    """Return the stem of a word, or the word that stands for all that claim the same."""
    if word in _SAME_CLAIM:
        return _SAME_CLAIM[word]
    stem = language.stem(word)
    return _SAME_CLAIM.get(stem, stem)


def spellings(word: str) -> set[str]:
    """Return how a word begins, as written, when `Claim.words` may tell it as this one: stems are beginnings."""
    return {word, *_SPELLINGS.get(word, ())}


FRAME = frozenset(canonical(word) for word in _SHAPES.words("frame"))
