"""Which known facts the rules need to read beside a new one: a quick look, since a member has a hundred of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

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
    """A test of known facts; `words` needs their normalized text alone, and is all there is where `shapes` is empty."""

    words: Callable[[str], bool]
    shapes: tuple[Test, ...]

    def __call__(self, text: str, normalized: str) -> bool:
        """Return False where the rules would let both facts stand, unread."""
        return self.words(normalized) or any(shape(text) for shape in self.shapes)


def related(text: str) -> Related:
    """Return what tells whether the rules need to read a known fact beside this new one."""
    new = read(text)
    return Related(_words(new), tuple(_shapes(new)))


def _words(new: Claim) -> Callable[[str], bool]:
    """Return a test for a word that the new statement is about, in any form or synonym."""
    whole = len(new.words - new.about) >= _LONG_FRAME
    telling = new.words if whole else new.about or new.words
    starts = {start.replace("'", " ") for word in telling for start in spellings(word)}
    first, apart = [f" {start}" for start in starts], [f" {start}" for start in starts if " " in start]

    def shared(normalized: str) -> bool:
        if not normalized.isascii() or "_" in normalized:
            return any(start in normalized for start in starts)  # a word may begin right after another script's
        spaced = f" {normalized}"
        for start in first:  # a generator would take twice as long, and this is asked of each fact of a member
            if start in spaced:
                break
        else:
            return False
        return any(canonical(word) in telling for word in normalized.split()) or any(part in spaced for part in apart)

    return shared


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
