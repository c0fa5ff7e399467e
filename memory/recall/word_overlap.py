"""Which words of a question a text has, whatever their endings; knows no database."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from memoryhub import language
from memoryhub.language.same_statement import meaning

# Characters of a text that are compared with those of others: what begins alike at length is the same.
COMPARED = 300


@lru_cache(maxsize=200)
def question_stems(question: str) -> frozenset[str]:
    """Return the stems of a question, which is ranked once for each kind of memory and each member."""
    return language.stems(question)


@lru_cache(maxsize=2_000)
def name_stems(name: str) -> frozenset[str]:
    """Return the stems of a member's name; members are few, and each is compared often."""
    return language.stems(name)


def shared_words(question: str, text: str) -> float:
    """Return the share of the question's words that the text has, 0 to 1."""
    wanted = question_stems(question)
    return len(found_in(wanted, text)) / len(wanted) if wanted else 0.0


def told_in(wanted: frozenset[str], text: str) -> frozenset[str]:
    """Return the same as `found_in`; a short text is taken apart once, for whoever compares it with others too."""
    if len(text) > COMPARED:
        return found_in(wanted, text)
    folded = language.folded(text)
    return wanted & meaning(text).stems if any(stem in folded for stem in wanted) else frozenset()


def found_in(wanted: Iterable[str], text: str) -> frozenset[str]:
    """Return those of the stems that the words of the text have.

    Most texts have none; of the others, words are stemmed only until one has the stem: this runs for every row.
    """
    folded = language.folded(text)
    return frozenset(stem for stem in wanted if stem in folded and _has(folded, stem))


def _has(folded: str, stem: str) -> bool:
    """Say whether a word of a folded text has this stem, which is a part of the text."""
    at = folded.find(stem)
    while at >= 0:
        end = folded.find(" ", at)
        end = len(folded) if end < 0 else end
        if stem in _stems_of_word(folded[folded.rfind(" ", 0, at) + 1 : end]):
            return True
        at = folded.find(stem, end)
    return False


@lru_cache(maxsize=5_000)
def _stems_of_word(word: str) -> frozenset[str]:
    """Return the stems of what stands between two spaces: of unspaced scripts a whole sentence."""
    return language.stems(word)
