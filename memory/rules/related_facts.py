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

BLANK, BAR = " ", "|"


@dataclass(frozen=True, slots=True)
class Related:
    """A test of known facts: by what a new one tells, as stems, and where there are `shapes` also by those.

    A word that tells one of them has one of the `starts`, or begins with it.
    """

    telling: frozenset[str]
    starts: tuple[str, ...]
    shapes: tuple[Test, ...]

    def __call__(self, text: str, normalized: str) -> bool:
        """Return False where the rules would let both facts stand, unread."""
        return self.words(normalized) or any(shape(text) for shape in self.shapes)

    def words(self, normalized: str) -> bool:
        """Say whether a known fact has a word that tells the same; needs its normalized text alone."""
        if _may_run_on(normalized):
            return any(start in normalized for start in self.starts)
        words = [word for word in normalized.split() if word.startswith(self.starts)]
        if any(canonical(word) in self.telling for word in words):
            return True
        return any(f" {start}" in f" {normalized}" for start in self.starts if BLANK in start)

    def among(self, known: str) -> list[int]:
        """Return the places of those normalized texts, a bar between each and the next, that share a word."""
        # Looked through once for each start, not once for each fact. A blank stands before each word and after it.
        whole = f" | {known.replace(BAR, ' | ')} | "
        if _may_run_on(whole):
            return [place for place, normalized in enumerate(known.split(BAR)) if self.words(normalized)]
        found, most = set[int](), known.count(BAR) + 1
        for start in self.starts:
            if len(found) == most:
                break  # all share a word: facts of one shape
            number, last, place = -1, 0, whole.find(BLANK + start)
            while place >= 0:
                number += whole.count(BAR, last, place)
                last = place + 1
                word = whole[last : whole.find(BLANK, last)]
                if BLANK in start or canonical(word) in self.telling:
                    found.add(number)
                    last = whole.find(BAR, last)
                place = whole.find(BLANK + start, last)
        return sorted(found)


def related(text: str) -> Related:
    """Return what tells whether the rules need to read a known fact beside this new one."""
    new = read(text)
    whole = len(new.words - new.about) >= _LONG_FRAME
    telling = new.words if whole else new.about or new.words
    starts = {start.replace("'", BLANK) for word in telling for start in spellings(word)}
    return Related(telling, tuple(starts), tuple(_shapes(new)))


def _may_run_on(normalized: str) -> bool:
    """Say whether a word may begin where another script's ends, without a blank."""
    return not normalized.isascii() or "_" in normalized


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
