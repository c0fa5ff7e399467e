"""Whether two statements say the same thing, by their words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from memoryhub.language import stem, telling, tokens
from memoryhub.language.word_lists import listed

ALIKE = 0.8
OPENING = 3
# Words of the frame of a statement, as stems, by what they claim: "is fond of jazz" and "loves jazz" claim the same.
_FRAMES = tuple(
    frozenset(stem(word) for word in listed(words))
    for words in (
        "likes loves enjoys adores fond fan into keen prefers",
        "thinks believes finds feels",
        "lives living resides",
        "works working employed",
        "has have having owns own named called",
        "is was been big huge really very much",
    )
)
FRAME = frozenset().union(*_FRAMES)
"""The stems of words that hold a statement together and name nothing."""
_TURNS = listed("not no never without against former formerly used hates dislikes detests loathes")


@dataclass(frozen=True)
class Meaning:
    """The words of a statement, the stems that it stands on, and whether it is a denial or a thing of the past.

    `stems` are those of the words that carry meaning; a statement without any stands on its words as they are.
    """

    words: tuple[str, ...]
    marks: frozenset[str]
    turned: bool
    stems: frozenset[str]


@lru_cache(maxsize=4096)
def meaning(text: str) -> Meaning:
    """Return what can be compared of a statement."""
    words = tuple(tokens(text))
    stems = frozenset(map(stem, telling(words)))
    turned = not _TURNS.isdisjoint(words) or any(word.endswith("n't") for word in words)
    return Meaning(words, stems or frozenset(words), turned, stems)


def same(one: Meaning, other: Meaning) -> bool:
    """Whether both share at least 8 of 10 stems and turn the same way."""
    shared = len(one.marks & other.marks)
    every = len(one.marks) + len(other.marks) - shared
    return one.turned == other.turned and every > 0 and shared >= ALIKE * every


def says(whole: Meaning, part: Meaning) -> bool:
    """Whether a statement says the other one, and perhaps a little more."""
    return same(whole, part) or holds(whole, part)


def holds(whole: Meaning, part: Meaning) -> bool:
    """Whether the whole says the part and little more, or begins with it: "has a dog", "has a dog named Bento"."""
    if whole.turned != part.turned or not part.marks <= whole.marks:
        return False
    opens = len(part.words) >= OPENING and whole.words[: len(part.words)] == part.words
    return opens or (len(part.marks) > 1 and 2 * len(part.marks) >= len(whole.marks))


def repeats(refused: Meaning, statement: Meaning) -> bool:
    """Whether a statement tells once more what was refused, in the same words or others around the same matter."""
    core, about = refused.marks - FRAME, statement.marks - FRAME
    claims, others = ({frame for frame in _FRAMES[:-1] if frame & each.marks} for each in (refused, statement))
    # Living somewhere and working there are two claims.
    other_claim = bool(claims and others) and claims.isdisjoint(others)
    if not core or refused.turned != statement.turned or other_claim:
        return same(refused, statement)
    return core <= about and 2 * len(core) >= len(about)
