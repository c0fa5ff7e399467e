"""How chat becomes words: what is put into the word index, and what is looked for in it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from itertools import chain

from snowballstemmer.porter_stemmer import PorterStemmer

from memoryhub.language.stop_words import SEARCH_STOP_WORDS

# Han, kana, Hangul, Thai, Lao, Burmese and Khmer: scripts whose words can't be cut apart by spaces.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+"
)

# Marks of this combining class and above are accents and vowel points; those below are parts of letters (Hindi, kana).
FIRST_ACCENT = 10

# A question this long is a document; its first words say what it is about.
MOST_CHARACTERS = 20_000

# Of a long question the rarest words are looked for, out of the longest; on LoCoMo that finds what all words find.
MOST_WORDS = 12
MOST_COUNTED = 40

# A word is common enough to know when this many rows have it.
COUNTED_TO = 1000

# Letters that all forms of a word begin with.
START = 2

# Bytes of a word between which FTS5 takes its ending off, and how a word ends that has one: of others it takes nothing.
STEMMED = range(3, 65)
ENDINGS = (
    "s", "ed", "ing", "y", "i", "al", "ful", "ll", "ism", "ion", "er", "ator", "e", "ic", "ant", "ent", "ou",
)  # fmt: skip


def plain(text: str) -> str:
    """Return the text in one spelling: small letters, accents off, wide ones narrow, nothing SQLite can't store.

    Letters are made small here, for index and question alike: FTS5 knows fewer alphabets than Python.
    """
    text = text.replace("\0", " ").lower()
    if text.isascii():
        return text
    text = text.encode("utf-8", "ignore").decode("utf-8")
    apart = unicodedata.normalize("NFKD", text)
    bare = "".join(each for each in apart if unicodedata.combining(each) < FIRST_ACCENT)
    # Again: a small raised A is an A once it stands on the line. And a sigma is one letter, wherever it stands.
    return unicodedata.normalize("NFKC", bare).lower().replace("ς", "σ")


# Folded as texts are, and cut at apostrophes, where FTS5 cuts.
STOP_WORDS = frozenset(part for word in SEARCH_STOP_WORDS for part in plain(word).split("'"))


def indexed(text: str) -> str:
    """Return the text as it goes into the index: runs of a script without spaces as overlapping pairs.

    Emoji are taken off the words beside them: FTS5 knows only older ones, and takes those of today for letters.
    """
    text = plain(text)
    if text.isascii():
        return text
    return UNSPACED.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", text).translate(_SPACED)


def words_of(text: str) -> list[str]:
    """Return the words of a text in one spelling, cut where FTS5 cuts them."""
    return _PLAIN_WORD.findall(text) if text.isascii() else text.translate(_SPACED).split()


def sought(text: str) -> list[str]:
    """Return the words of a question, each once, stop words only when there is nothing else.

    A star at the end stands for any other letter.
    """
    spaced = UNSPACED.sub(lambda run: f" {run[0]} ", plain(text[:MOST_CHARACTERS]))
    words = dict.fromkeys(words_of(spaced))
    terms: list[str] = []
    for word in [word for word in words if word not in STOP_WORDS] or words:
        if len(word) > 1 and UNSPACED.fullmatch(word):
            terms += _pairs(word)[:-1]
        else:
            terms.append(f"{word}*" if UNSPACED.fullmatch(word) else word)
    return terms


def longest(words: list[str]) -> list[str]:
    """Return those of a long question's words that are worth counting."""
    return sorted(words, key=len, reverse=True)[:MOST_COUNTED]


def counted(text: str) -> tuple[Counter[int], int]:
    """Return how often each term is in a text, and how many words the text has.

    A word of a script without spaces is also found by its first character and a star.
    """
    words, starred = _cut(indexed(text))
    return Counter(map(term, chain(words, starred))), len(words)


def found_in(indexed_text: str, asked: frozenset[int], starts: frozenset[str]) -> tuple[list[int], int]:
    """Return those of the terms that a text has, as often as it has them, and how many words the text has.

    `starts` are those of the words that are asked for: others need not be stemmed.
    """
    words, starred = _cut(indexed_text)
    alike = [term(word) for word in chain(words, starred) if word[:START] in starts]
    return [each for each in alike if each in asked], len(words)


def starts_of(words: Iterable[str]) -> frozenset[str]:
    """Return how words with the same stems as these may start: an ending changes no more than a y to an i."""
    return frozenset(each for word in words for each in _spellings(word[:START]))


def _spellings(start: str) -> tuple[str, str, str]:
    return start, f"{start[:-1]}y" if start.endswith("i") else start, f"{start[:-1]}i" if start.endswith("y") else start


def _cut(indexed_text: str) -> tuple[list[str], list[str]]:
    if indexed_text.isascii():
        return _PLAIN_WORD.findall(indexed_text), []
    words = indexed_text.split()
    return words, [f"{word[0]}*" for word in words if not word.isascii() and UNSPACED.fullmatch(word)]


@lru_cache(maxsize=100_000)
def term(word: str) -> int:
    """Return the number that stands for all forms of a word, where words are not kept; FTS5 takes the same stem."""
    # A stemmer of its own: it holds the word that it is at, and threads that share one cut each other's words.
    ended = word.endswith(ENDINGS) and len(word.encode()) in STEMMED
    stem = PorterStemmer().stemWord(word) if ended else word
    return int.from_bytes(blake2b(stem.encode(), digest_size=8).digest(), "little", signed=True)


_PLAIN_WORD = re.compile("[a-z0-9]+")


class _Spaced(dict[int, int | str]):
    """By a character's number: the same for what words consist of, else a space. Learned as it is asked."""

    def __missing__(self, number: int) -> int | str:
        category = unicodedata.category(chr(number))
        self[number] = number if category[0] in "LN" or category in {"Mn", "Mc", "Co"} else " "
        return self[number]


_SPACED = _Spaced()


def _pairs(run: str) -> list[str]:
    # The last character stands alone too, so that the start of a pair finds every single character.
    return [run[place : place + 2] for place in range(len(run))]
