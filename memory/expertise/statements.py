"""Whether a statement tells that somebody has to do with a matter, and what the matter of a question is. Pure."""

from __future__ import annotations

import re

from memory.recall.word_overlap import found_in, shared_words
from memoryhub import language
from memoryhub.language import assertion_filter
from memoryhub.language.word_lists import Shapes

_SHAPES = Shapes(__file__)
_WORD = re.compile(r"[^\W_]+")
LONGEST = 300  # characters of a matter


def matter(question: str) -> str:
    """Return what is asked about, without the words around it; "" where it names nothing."""
    asked = " ".join(question.split())[:LONGEST]
    about = _SHAPES["asked"].sub("", asked, count=1).strip(" ?!.")
    return about if language.content(about) else ""


def tells(fact: str) -> bool:
    """Say if a fact tells that its member has to do with what it names: nothing denied, given up or looked for."""
    plain = _SHAPES["harmless"].sub(" ", fact)
    return not _SHAPES["denied"].search(plain) and not _SHAPES["sought"].search(plain)


def own_sentence(message: str, about: str) -> str:
    """Return the sentence in which the author says most of what they have to do with the matter; "" where none does.

    What is asked, supposed, joked, quoted or told of others says nothing of the author.
    """
    plain = assertion_filter.without_quotes(message)
    if assertion_filter.is_joke(plain):
        return ""
    stated = (assertion_filter.stated(each) for each in language.sentences(language.clean(plain)))
    own = [each for each in stated if each and _SHAPES["speaker"].search(each) and tells(each)]
    own = [each for each in own if not _SHAPES["relative"].search(_before(each, about))]
    best = max(own, key=lambda each: shared_words(about, each), default="")
    return best if shared_words(about, best) else ""


def _before(sentence: str, about: str) -> str:
    """Return what stands before the first word of the matter."""
    wanted = language.stems(about)
    first = next((word.start() for word in _WORD.finditer(sentence) if found_in(wanted, word[0])), 0)
    return sentence[:first]
