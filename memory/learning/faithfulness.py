"""Whether a candidate says what was said: of the same person and year, nothing denied, doubted or played instead."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime
from functools import lru_cache

from memory.rules import trim
from memoryhub import language
from memoryhub.language import assertion_filter, calendar
from memoryhub.language.dates import When
from memoryhub.language.word_lists import Shapes

_SHAPES = Shapes(__file__)
MONTHS = frozenset(calendar.MONTH_NAMES)
NEAR = 100  # characters before a month in which "since" may stand: looked for further, a flood of them takes minutes
_SINCE = re.compile(r"\bsince\b[^.;!?]*\Z", re.IGNORECASE)
TO_OTHERS = frozenset({"you", "your", "du", "ihr", "tú", "tu", "você", "vous"})
SHORT_NAME = 3  # letters: "ros" is Rosalind
LEAST_ASKED = 3  # words of a clause that asks for something else; "right?" and "or not?" ask for what is before it
MOST_OF = 0.5  # of a fact's words: where a clause has so many, it is the one that states it


def unfaithful(text: str, quote: str, source: str, *, said_at: datetime) -> str | None:
    """Return how a fact's text differs in meaning from its messages, None where no difference is seen.

    `source` are the texts of the messages, `said_at` when the last was said. Reasons: "joke", "doubt", "wrong date",
    "negation", "wrong person". In doubt nothing is refused: the words were checked before.
    """
    plain = assertion_filter.without_quotes(source)
    if all(map(assertion_filter.is_joke, filter(str.strip, plain.split("\n")))):
        return "joke"
    if _doubted(text, quote, plain):
        return "doubt"
    if _misdated(text, plain, said_at):
        return "wrong date"
    clause = _stating(text, plain)
    if clause is None:
        return None
    if _turned(text, clause):
        return "negation"
    relative = _SHAPES["relative"].search(clause) and not _SHAPES["relative_named"].search(text)
    return "wrong person" if relative else None


def misattributed(text: str, source: str, *, own: Collection[str], others: Collection[str], of_author: bool) -> bool:
    """Say if a fact is given to somebody whom its message does not tell it of.

    `own` are the names of whom it is given to, `others` those of the others who are there; `of_author`: it is
    given to who said it.
    """
    if not of_author:
        return not _is_addressed(source, own)
    clause = _stating(text, source)
    if clause is None or _SHAPES["own"].search(clause):
        return False
    first = clause.strip(" *_\"'“").split(" ")[0].casefold().rstrip(",.:;!?").removesuffix("'s").removesuffix("’s")
    if first in TO_OTHERS and "\n" not in source:  # else it may be the question that was answered
        return True
    return first in _words_of(others) - _words_of(own) and first not in set(language.tokens(text))


def _is_addressed(source: str, names: Collection[str]) -> bool:
    said, called = set(language.tokens(source)), _words_of(names)
    short = (word for word in language.content(source) if len(word) >= SHORT_NAME)
    return not said.isdisjoint({*called, "you", "your", "he", "she", "his", "her", "they"}) or any(
        name.startswith(word) for word in short for name in called
    )


def _words_of(names: Collection[str]) -> set[str]:
    return {word for name in names for word in language.tokens(name.casefold()) if len(word) > 1}


def _doubted(text: str, quote: str, source: str) -> bool:
    """Say if the quote stands where nothing is stated, and the fact does not tell so: asked, supposed, dreamt.

    Where all of a sentence is stated, whatever follows from it is: "gave the piano away" that they have none.
    """
    words = set(language.tokens(quote))
    told = (each for line in source.split("\n") for each in language.sentences(language.clean(line)))
    holding = [each for each in told if words <= set(language.tokens(each))]
    if not words or assertion_filter.doubt(text) not in (None, "question"):  # "Is" opens either
        return False
    parts = [(each, assertion_filter.stated(each)) for each in map(trim.without_question, holding)]
    return bool(parts) and not any(
        each == stated
        or words <= set(language.tokens(stated))
        or _share(text, stated) >= MOST_OF
        or _stands_alone(each, words)
        for each, stated in parts
    )


def _stands_alone(sentence: str, quoted: set[str]) -> bool:
    """Say if most of the quote is in a clause that states it, before another: "I eat no meat, is it ok?"."""
    head, comma, tail = sentence.rpartition(", ")
    if not comma or len(tail.split()) < LEAST_ASKED or _SHAPES["condition"].match(tail):
        return False
    said = set(language.tokens(head))
    states = said.isdisjoint(TO_OTHERS) and not assertion_filter.doubt(head)
    return states and len(said & quoted) >= MOST_OF * len(quoted)


def _misdated(text: str, source: str, said_at: datetime) -> bool:
    """Say if the fact names a year that is neither in the message nor what its words of time come to."""
    named = set(_SHAPES["year"].findall(text)) - set(_SHAPES["year"].findall(source))
    found = language.dates.find(source, said_at=said_at) if named else []
    meant = {str(year) for when in found for year in _years(when, source, said_at)}
    return bool(found) and not named <= meant | {str(said_at.year - count) for count in _counts(source)}


def _years(when: When, source: str, said_at: datetime) -> set[int]:
    """Return the years that may be meant by a month without one.

    Of "we get the keys in April" the next one, too, since no verb tells; of "since the crash in August" the last one.
    """
    if when.precision != "month" or _SHAPES["directed"].search(when.phrase):
        return {when.start.year, when.start.year + (when.season == "winter")}
    if when.start <= said_at.date():
        return {when.start.year, when.start.year + 1}
    since = _SINCE.search(source, max(0, when.begin - NEAR), when.begin)
    return {when.start.year, when.start.year - bool(since)}


def _counts(source: str) -> set[int]:
    """Return what may be a number of years, from two on: "ten years now"."""
    words = language.tokens(source)
    return {int(word) for word in words if word.isdecimal() and len(word) < 3} - {0, 1} | {
        count for word in words if (count := calendar.NUMBERS.get(word, 0)) > 1
    }


def _stating(text: str, source: str) -> str | None:
    """Return the clause of the message that has the most of the fact's words; None where none has many."""
    parts = [part.strip() for line in source.split("\n") for part in _SHAPES["border"].split(line)]
    best = max(dict.fromkeys(parts), key=lambda part: _share(text, part), default="")
    return best if _share(text, best) >= MOST_OF else None


def _share(text: str, part: str) -> float:
    """Return which share of a fact's words a part of a message has, stem by stem; a date may stand for "yesterday"."""
    wanted = _telling(text)
    return len(wanted & _stems(part)) / len(wanted) if wanted else 0.0


_stems = lru_cache(maxsize=4096)(language.stems)  # kept, since each fact of a long message is held against each clause


@lru_cache(maxsize=1024)
def _telling(text: str) -> frozenset[str]:
    words = [word for word in language.content(text) if not word.isdigit() and word.capitalize() not in MONTHS]
    return frozenset(map(language.stem, words))


def _turned(text: str, clause: str) -> bool:
    """Say if one of fact and clause denies and the other does not."""
    if _SHAPES["ending"].search(text) or _SHAPES["ending"].search(clause):
        return False
    return _denies(text) != _denies(clause)


def _denies(text: str) -> bool:
    return bool(_SHAPES["denying"].search(_SHAPES["denies_nothing"].sub(" ", text)))
