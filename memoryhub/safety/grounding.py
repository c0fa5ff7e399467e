"""Whether a message says what a fact claims: fair paraphrase in any language passes, a guess does not."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date
from math import ceil

from memoryhub import language
from memoryhub.language import calendar
from memoryhub.language.word_lists import Shapes

MIN_SHARE = 0.4  # of the words that carry the claim

_SHAPES = Shapes(__file__)
# A claim in a fact, and the words of a message that back it.
_CLAIMS = [(_SHAPES[claim], _SHAPES[f"{claim}_backed"]) for claim in ("likes", "dislikes", "works")]
_TASTES = _CLAIMS[:2]
_DAYS = _SHAPES.words("short weekdays")
_FRAME = _SHAPES.words("frame")
_IN_DIGITS = {
    word: str(number) for number, words in enumerate(_SHAPES.rows["numbers"], start=2) for word in words.split()
}
_CHINESE_DIGITS = str.maketrans("二两兩三四五六七八九", "2223456789")


def supported(text: str, source: str) -> bool:
    """Say if `source` (the message) backs `text` (a fact, or the words quoted from the message)."""
    folded, folded_source = (" ".join(language.tokens(each)) for each in (text, source))
    if f" {folded} " in f" {folded_source} ":
        return bool(folded)
    message = _Message(source)
    if not _has_numbers(text, source) or not message.has_names_of(text):
        return False
    if message.share_of(text) < MIN_SHARE:
        return _translated(text, message)
    return message.in_another_script or (_backed(text, source, _CLAIMS) and not _denied(text, message))


def may_say(text: str, quote: str, source: str, *, said_on: date, people: Collection[str] = ()) -> bool:
    """Say if a fact may be what the quoted words mean, though it has other words than they: "sparky" is an electrician.

    Names and numbers must be in the message, be those of the `people` who are there, or of the day it was said on; what
    was denied is not told as so.
    """
    message = _Message("\n".join([source, *people]))
    if not _has_numbers(text, source, said_on=said_on) or not message.has_names_of(text):
        return False
    return not denied(text, quote) and (_is_foreign(_Message(quote)) or _backed(text, source, _TASTES))


def denied(text: str, quote: str) -> bool:
    """Say if a fact tells as so what the quoted words say is not: "Has a garden." of "Garten haben wir keinen"."""
    if not _is_positive(text):
        return False
    quoted = _Message(quote)
    return _denied_abroad(text, quoted) if _is_foreign(quoted) else _denied(text, quoted)


def share_said(text: str, source: str) -> float:
    """Return which part of the words that carry the claim stands in the message, 0 to 1; 1 where it is translated."""
    message = _Message(source)
    message.has_names_of(text)
    share = message.share_of(text)
    return 1.0 if share < MIN_SHARE and _translated(text, message) else share


class _Message:
    """The words of a message, to be asked for by stem or by a long common beginning."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = set(language.tokens(text))
        self.stems = {language.stem(word) for word in self.words}
        self.abroad: set[str] = set()  # words of names that the message has in another tongue

    def has(self, word: str) -> bool:
        """Say if the message has the word, in any of its forms."""
        if word in self.words or word in self.abroad or language.stem(word) in self.stems:
            return True
        # Six of ten letters from the start are the same, and four at least.
        least = ((other, max(4, ceil(0.6 * max(len(word), len(other))))) for other in self.words)
        return any(count <= len(word) and other.startswith(word[:count]) for other, count in least)

    @property
    def weekdays(self) -> set[int]:
        """The days of the week that it names, Monday is 0: "montags", "tues", "sat"."""
        words = {word.removesuffix("s") for word in self.words}
        names = calendar.WEEKDAYS.items()
        return {day for word in words for name, day in names if len(word) > 3 or word in _DAYS if name.startswith(word)}

    @property
    def in_another_script(self) -> bool:
        """Whether nothing in the message is in the Latin script."""
        return not any(word[0].isascii() for word in self.words)

    def has_names_of(self, fact: str) -> bool:
        """Say if the message has every name, or what its own language calls the same language, country or city."""
        for name in language.names(fact):
            if (day := calendar.WEEKDAYS.get(name.casefold().removesuffix("s"))) is not None and day in self.weekdays:
                continue
            if all(self.has(word) for word in language.content(name)) or self._has_abroad([name], fact):
                continue
            if not self._has_abroad([word for word in name.split() if not self.has(word.casefold())], fact):
                return False
        return True

    def _has_abroad(self, names: Sequence[str], fact: str) -> bool:
        """Look for the names in the languages of both; a message too short to tell may be in several."""
        spoken = language.detect(self.text)
        likely = [spoken] if spoken else language.by_any_common_word(language.tokens(self.text))
        tongues = list(dict.fromkeys(["en", *filter(None, [language.detect(fact)]), *likely]))
        found = [name for name in names if language.named_elsewhere(name, self.text, tongues=tongues)]
        self.abroad.update(word for name in found for word in language.content(name))
        return len(found) == len(names)

    def share_of(self, fact: str) -> float:
        """Return which part of the words that carry the fact's claim the message has."""
        words = [word for word in dict.fromkeys(language.content(fact)) if not word.isdigit()]
        telling = [word for word in words if word not in _FRAME] or words
        if not telling:
            return 1.0 if _numbers(fact) else 0.0
        return sum(self.has(word) for word in telling) / len(telling)


def _backed(text: str, source: str, claims: Sequence[tuple[re.Pattern[str], re.Pattern[str]]]) -> bool:
    return all(backing.search(source) for claim, backing in claims if claim.search(text))


def _has_numbers(text: str, source: str, *, said_on: date | None = None) -> bool:
    """Say if the source has each number, but for a date that its words ("last spring", "in 98") come to."""
    said = _numbers(source) | ({str(said_on.year), str(said_on.day)} if said_on else set())
    missing = {
        number for number in _numbers(text) - said if not (_SHAPES["year"].fullmatch(number) and number[2:] in said)
    }
    resolved = _SHAPES["year"].search(text) and _SHAPES["time_said"].search(source) and len(missing) <= 2
    return not missing or bool(resolved)


def _numbers(text: str) -> set[str]:
    words = (_IN_DIGITS.get(word, word) for word in language.tokens(text.translate(_CHINESE_DIGITS)))
    return {digits for word in words for digits in _SHAPES["number"].findall(word)}


def _is_positive(text: str) -> bool:
    return bool(_SHAPES["positive"].search(text)) and not _SHAPES["negative"].search(text)


def _denied(text: str, message: _Message) -> bool:
    """A positive claim whose words stand only in a clause that says no: "I don't like olives"."""
    if not _is_positive(text):
        return False
    telling = [word for word in language.content(text) if word not in _FRAME and message.has(word)]
    with_them = [clause for clause in _SHAPES["clause"].split(message.text) if any(map(_Message(clause).has, telling))]
    return bool(with_them) and all(_SHAPES["denied"].search(clause) for clause in with_them)


def _translated(text: str, message: _Message) -> bool:
    """A fact in English of a message in another language shares only names and numbers, which were checked before.

    A positive claim needs a clause that does not say no: "я не люблю оливки".
    """
    if _spoken(message) in (None, "en", language.detect(text) or "en") or _denied(text, message):
        return False
    return not _denied_abroad(text, message)


def _spoken(message: _Message) -> str | None:
    """Return the language of a message, "other" for one in another script; None where it may be English."""
    words = language.tokens(message.text)
    likely = language.by_any_common_word(words)  # of "j'ai 27 ans", too short to tell otherwise
    unsure = "other" if message.in_another_script else None if "en" in likely else likely[0]
    return language.detect(message.text) or language.by_common_words(words) or unsure


def _is_foreign(message: _Message) -> bool:
    return message.in_another_script or _spoken(message) not in (None, "en")


def _denied_abroad(text: str, message: _Message) -> bool:
    """A positive claim of a message all of whose clauses say no."""
    clauses = [clause for clause in _SHAPES["clause_abroad"].split(message.text) if language.tokens(clause)]
    return _is_positive(text) and bool(clauses) and all(map(_SHAPES["not_abroad"].search, clauses))
