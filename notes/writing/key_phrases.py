"""Find the names, nouns and pairs of words that a talk may be about, without a parser."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
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
            words, opens = match[0].split(), match.start() == 0
            # The first word of a sentence has a capital anyway.
            drops_first = opens and (len(words) > 2 or not _is_telling(words[0], taboo))
            name = words[1:] if drops_first else words
            if taboo.isdisjoint(word.lower() for word in name) and _is_telling(name[-1], taboo):
                yield Phrase(" ".join(name), NAME_WEIGHT * (DOUBT if opens and not drops_first else 1))
        words = _WORD.findall(_LONG_NAME.sub(" , ", part))
        start = 0
        for telling, group in groupby(words, key=lambda word: _is_telling(word, taboo)):
            run = list(group)
            if telling:
                yield from _nouns(run, words[start - 1].lower() if start else "")
            start += len(run)


def _nouns(run: Sequence[str], before: str) -> Iterator[Phrase]:
    """Yield the last word of a run of telling words, and the pair that it ends with; `before` stands before the run."""
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


def _is_telling(word: str, taboo: set[str]) -> bool:
    low = word.lower().replace("’", "'")
    if len(word) < 3 or low.isdigit() or not content(low):
        return False
    plain = low.removesuffix("'s")
    return not ({low, plain} & _NO_MATTER) and not any(name.startswith(plain) for name in taboo)
