"""What a stored fact claims, as far as rules can read it: its words by stem, its polarity, what it is about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from memory.rules import patterns
from memoryhub import language
from memoryhub.language.word_lists import Shapes

_SHAPES = Shapes(__file__)
_SAME_CLAIM = {word: row.split()[0] for row in _SHAPES.rows["same claim"] for word in row.split()}
_SPELLINGS = {first: [word for word in _SAME_CLAIM if _SAME_CLAIM[word] == first] for first in _SAME_CLAIM.values()}
_CALENDAR, NUMBERS = _SHAPES.words("calendar"), _SHAPES.words("numbers")


@dataclass(frozen=True)
class Claim:
    """A fact's text, read."""

    text: str

    @cached_property
    def bare(self) -> str:
        """The text without its date and its reason; a denial gives its reason in a clause of its own, too."""
        text = _SHAPES["why"].sub("", self.text) if self.negative else self.text
        return _SHAPES["date"].sub("", _SHAPES["reason"].sub("", text)).strip(" .,")

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of all words that carry meaning; words for the same claim fall together."""
        return frozenset(canonical(word) for word in language.content(self.bare)) - _CALENDAR

    @cached_property
    def whole(self) -> frozenset[str]:
        """Stems of all words that carry meaning, those of the reason too."""
        undated = _SHAPES["date"].sub("", self.text)
        return frozenset(canonical(word) for word in language.content(undated)) - _CALENDAR - FRAME

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
        return frozenset(canonical(found["head"].lower()) for found in _SHAPES["head"].finditer(self.bare))

    @cached_property
    def slot(self) -> patterns.Slot | None:
        """The shape it has, if any."""
        return patterns.slot_of(self.text)

    @cached_property
    def dates(self) -> frozenset[str]:
        """The dates it tells, as written."""
        return frozenset(found.casefold() for found in _SHAPES["date"].findall(self.text))

    @cached_property
    def negative(self) -> bool:
        """Does it deny? "Not because of this but for that" denies a reason only."""
        return bool(_SHAPES["negative"].search(self.text)) and not _SHAPES["other_reason"].search(self.text)

    @cached_property
    def past(self) -> bool:
        """Does it tell only of former times?"""
        return bool(_SHAPES["past"].match(self.text))


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


FRAME = frozenset(canonical(word) for word in _SHAPES.words("frame"))
