"""Words of a text in any script: case-folded, Chinese and Japanese as pairs of characters, stop words on request."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from memoryhub.language.stop_words import STOP_WORDS

# Scripts written without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{UNSPACED}]+|(?:(?![{UNSPACED}])[^\W_])+(?:['’](?:(?![{UNSPACED}])[^\W_])+)*")
_PLAIN_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")  # the same for folded ASCII, in a third of the time
_IS_UNSPACED = re.compile(f"[{UNSPACED}]")
_SUFFIXES = (
    "ations", "ation", "ingly", "ings", "ing", "ies", "ied", "edly", "ers", "er", "ed", "ly", "es", "s", "e", "y",
)  # fmt: skip


def tokens(text: str) -> list[str]:
    """Return the words of `text` in order, case-folded, composed (NFKC); unspaced scripts as pairs of characters."""
    plain = folded(text)
    if plain.isascii():
        return [run.removesuffix("'s") for run in _PLAIN_WORD.findall(plain)]
    words: list[str] = []
    for run in _WORD.findall(plain):
        if len(run) > 1 and _IS_UNSPACED.match(run):
            words.extend(left + right for left, right in pairwise(run))
        else:
            words.append(run.removesuffix("'s"))
    return words


def folded(text: str) -> str:
    """Return `text` as its words are compared: case-folded, composed (NFKC), apostrophes straight.

    Each of its tokens, and of their stems, is a part of it: what has none of them need not be cut into words.
    """
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


def content(text: str) -> list[str]:
    """Return the words of `text` that carry meaning: `tokens` without stop words."""
    return telling(tokens(text))


def telling(words: Iterable[str]) -> list[str]:
    """Return those of the words that carry meaning."""
    return [word for word in words if word not in STOP_WORDS]


@lru_cache(maxsize=20_000)
def stem(token: str) -> str:
    """Return a crude English stem, good enough to say that moved, moves and moving are one word."""
    if len(token) < 4 or not token.endswith(_SUFFIXES) or not token.isascii():
        return token
    for suffix in _SUFFIXES:
        if token.endswith(suffix) and len(token) - len(suffix) >= 3:
            root = token.removesuffix(suffix)
            if suffix == "y" and root[-1] in "aeou":
                return token  # "play" is the stem of "plays"
            doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] not in "ls"
            return root[:-1] if doubled else root
    return token


def stems(text: str) -> frozenset[str]:
    """Return the stems of the words of `text` that carry meaning."""
    return frozenset(map(stem, content(text)))
