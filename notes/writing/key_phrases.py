"""Find the names, nouns and pairs of words that a talk may be about, without a parser."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryhub.language import content, stem, word_lists

_LISTS = word_lists.load(Path(__file__).with_name("chat_words.txt"))
CHATTER, BEFORE_NOUN, BEFORE_VERB = _LISTS["chatter"], _LISTS["before a noun"], _LISTS["before a verb"]
_NO_MATTER = CHATTER | _LISTS["not a matter"]

NAME_WEIGHT = 1.5
PAIR_WEIGHT = 1.5
NOUN_WEIGHT = 1.0
# What may as well be a verb, an adjective or the capital of a sentence.
DOUBT = 0.4
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_BREAK = re.compile(r"[.!?,;:()\"“”…。！？、，\n]+|\s[-–—]\s")
_CAPITAL = r"[A-Z][\w'’-]*\w"
_LONG_NAME = re.compile(rf"\b{_CAPITAL}(?:(?: of| of the| de| la| von| van)? {_CAPITAL})+")


@dataclass(frozen=True)
class Phrase:
    """What a talk may be about, and how sure a single mention makes us."""

    text: str
    weight: float

    @property
    def key(self) -> str:
        """Return what makes two forms of it one."""
        return " ".join(stem(word) for word in self.text.lower().replace("’", "'").removesuffix("'s").split())


def phrases(text: str, taboo: set[str]) -> Iterator[Phrase]:
    """Yield the phrases of a text; words of `taboo` (the people's own names) and words of small talk are none."""
    for part in _BREAK.split(text):
        for match in _LONG_NAME.finditer(part):
            yield from _named(match.group().split(), taboo, opens=match.start() == 0)
        words = _WORD.findall(_LONG_NAME.sub(" , ", part))
        for start, end in _runs(words, taboo):
            yield from _nouns(words[start:end], words[start - 1].lower() if start else "")


def _named(words: Sequence[str], taboo: set[str], *, opens: bool) -> Iterator[Phrase]:
    # The first word of a sentence has a capital anyway.
    own = words[1:] if opens and (len(words) > 2 or not _telling(words[0], taboo)) else words
    if all(word.lower() not in taboo for word in own) and _telling(own[-1], taboo):
        yield Phrase(" ".join(own), NAME_WEIGHT * (DOUBT if opens and own is words else 1))


def _runs(words: Sequence[str], taboo: set[str]) -> Iterator[tuple[int, int]]:
    """Yield where runs of telling words begin and end."""
    start = 0
    for at, word in enumerate([*words, ""]):
        if not _telling(word, taboo):
            if start < at:
                yield start, at
            start = at + 1


def _nouns(run: Sequence[str], before: str) -> Iterator[Phrase]:
    words = list(run[1:] if before in BEFORE_VERB else run)
    while len(words) > 1 and words[-1].endswith(("ed", "ly")):
        words.pop()
    if not words:
        return
    sure = before in BEFORE_NOUN
    last = words[-1]
    if last[0].isupper() and (before or len(words) > 1):
        yield Phrase(last, NAME_WEIGHT)
    else:
        doubt = not sure and (len(words) == 1 or last.endswith(("ing", "ed")))
        yield Phrase(last.lower(), NOUN_WEIGHT * (DOUBT if doubt else 1))
    if len(words) > 1:
        first = words[-2] if before else words[-2].lower()
        yield Phrase(f"{first} {last}", PAIR_WEIGHT * (1 if sure else DOUBT))


def _telling(word: str, taboo: set[str]) -> bool:
    low = word.lower().replace("’", "'")
    if len(word) < 3 or low.isdigit() or not content(low):
        return False
    plain = low.removesuffix("'s")
    return not ({low, plain} & _NO_MATTER) and not any(name.startswith(plain) for name in taboo)
