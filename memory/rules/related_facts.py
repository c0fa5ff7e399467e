"""Which known facts the rules need to read beside a new one: a quick look, since a member has a hundred of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from memory.rules import contradictions
from memory.rules.claims import Claim, canonical, read, spellings
from memory.rules.contradictions import endings_by
from memory.rules.decider import SHAPES
from memory.rules.patterns import SLOTS
from memoryhub.language.word_lists import pattern

Test = Callable[[str], object]

_ANY_FAVOURITE = pattern(r"favou?rite")
_ONE_OF_A_KIND = {"job", "name", "birthday", "pronouns"}  # slots that the rules compare whatever the words are

# So many words of the frame make two statements nearly the same although they are about different things.
_LONG_FRAME = 8


@dataclass(frozen=True, slots=True)
class Related:
    """A test of known facts; `words` needs their normalized text alone, and is all there is where `shapes` is empty.

    Any of the `starts` stands somewhere in whatever passes `words`.
    """

    starts: frozenset[str]
    words: Callable[[str], bool]
    shapes: tuple[Test, ...]

    def __call__(self, text: str, normalized: str) -> bool:
        """Return False where the rules would let both facts stand, unread."""
        return self.words(normalized) or any(shape(text) for shape in self.shapes)

    def among(self, known: Mapping[int, str]) -> list[int]:
        """Return the keys of those normalized texts that share a word; of all of them where shapes count too."""
        if self.shapes:
            return list(known)
        keys, places = list(known), set[int]()
        ends = list(accumulate(len(text) + 1 for text in known.values()))
        whole = "\n".join(known.values())  # looked through once for each start, not once for each fact
        for start in self.starts:
            if len(places) == len(keys):
                break  # all share a word: facts of one shape
            place = whole.find(start)
            while place >= 0:
                number = bisect_right(ends, place)
                places.add(number)
                place = whole.find(start, ends[number])
        return [keys[number] for number in sorted(places) if self.words(known[keys[number]])]


def related(text: str) -> Related:
    """Return what tells whether the rules need to read a known fact beside this new one."""
    new = read(text)
    return Related(*_words(new), tuple(_shapes(new)))


def _words(new: Claim) -> tuple[frozenset[str], Callable[[str], bool]]:
    """Return how a word that the new statement is about may begin, in any form or synonym, and a test for one."""
    whole = len(new.words - new.about) >= _LONG_FRAME
    telling = new.words if whole else new.about or new.words
    starts = frozenset(start.replace("'", " ") for word in telling for start in spellings(word))
    apart = [f" {start}" for start in starts if " " in start]

    def shared(normalized: str) -> bool:
        if not normalized.isascii() or "_" in normalized:
            return any(start in normalized for start in starts)  # a word may begin right after another script's
        spaced = f" {normalized}"
        if not any(f" {start}" in spaced for start in starts):
            return False
        return any(canonical(word) in telling for word in normalized.split()) or any(part in spaced for part in apart)

    return starts, shared


def _shapes(new: Claim) -> Iterator[Test]:
    """Yield tests for what the new statement may end although they share no word."""
    if new.negative or SHAPES["place"].match(new.text) or SHAPES["left"].match(new.text):
        yield SHAPES["place"].match
    if SHAPES["age"].match(new.text):
        yield SHAPES["age"].match
    if SHAPES["favourite"].match(new.bare):
        yield _ANY_FAVOURITE.search
    if new.slot and new.slot.name in _ONE_OF_A_KIND:
        yield from (slot.shape.match for slot in SLOTS if slot.name == new.slot.name)
    if doing := contradictions.single_activity(new):
        yield pattern(rf"{doing}\b").match
    yield from (ending.old.search for ending in endings_by(new.text) if not ending.alike)
    yield from (shape.match for shape in contradictions.values_in(new.text))
