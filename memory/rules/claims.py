"""What a stored fact claims, as far as rules can read it: its words by stem, its polarity, what it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from memory.rules import patterns
from memoryhub import language
from memoryhub.language.word_lists import listed

_I = re.IGNORECASE
# Different words for one claim: the first of each line stands for all.
_SAME_CLAIM = {
    word: words.split()[0]
    for words in (
        "has own owns got gets get bought buy adopted adopt have having purchased rescued keeps drives rides",
        "likes loves enjoys adores prefers like love enjoy loved liked fan passionate fond keen",
        "dislikes hates despises loathes hate dislike stand",
        "lives lived moved relocated resides live living based",
        "works working worked work job employed",
        "two 2 couple", "three 3", "four 4", "five 5",
        "mother mom mum", "father dad", "kids children child kid", "wife spouse", "partner boyfriend girlfriend",
        "movie film movies films", "favourite favorite fave", "bike bicycle", "ps5 playstation",
    )
    for word in words.split()
}  # fmt: skip
_SPELLINGS = {first: [each for each in _SAME_CLAIM if _SAME_CLAIM[each] == first] for first in _SAME_CLAIM.values()}
_FRAME = listed(
    "has likes dislikes lives works is was been named called now currently recently anymore really also still always"
    " longer stopped quit no longer gave doesn't don't isn't never again year month week day new old "
    "big started since one lot finally"
)
_CALENDAR = listed(
    "january february march april may june july august september october november december spring "
    "summer autumn fall winter"
)
_REASON = re.compile(r",?\s*\b(?:because|since|after|when|while|due to|so that|although|but|which|who)\b.*$", _I)
_DATE = re.compile(
    r"\b(?:in|on|since|by|until)\s+(?:early |late |the (?:week|weekend) of )?(?:\d{1,2} )?(?:"
    r"(?:january|february|march|april|may|june"
    r"|july|august|september|october|november|december|spring|summer|autumn|winter)\s+)?(?:19|20)\d\d(?:/\d\d)?\b",
    _I,
)
_NEGATIVE = re.compile(
    r"^(?:really |now |also |still )*(?:hates?|dislikes?|despises|loathes|can['’]t stand|no longer"
    r"|never|doesn['’]t|isn['’]t|is not|is no longer|does not"
    r"|has no|has never|hasn['’]t|stopped|quit|gave up|avoids|is (?:sick|tired) of|got bored of"
    r"|fell out of love with)\b|\b(?:anymore|any more|any longer)\b",
    _I,
)
_PAST = re.compile(r"^(?:used to|formerly|previously|once|had been|was (?:once|formerly))\b", _I)
_ENDED = re.compile(r"^(?:no longer|stopped|quit|gave up|is no longer)\b|\b(?:anymore|any more|any longer)\b", _I)
NUMBERS = listed("one two three four five six seven eight nine ten twice")


_HEAD = re.compile(
    r"(?P<head>[\w'’-]+)(?=\s*(?:[,;.(]|$)|\s+(?:with|of|named|called|for|in|on|at|from|to|by|about|as|who|that|which|and|or"
    r"|every|each|daily|weekly|once|twice|now|again|all|most|last|this|next|a|the|their|while|during|since)\b)",
    _I,
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
        return patterns.match(self.text)

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


FRAME = frozenset(canonical(word) for word in _FRAME)
