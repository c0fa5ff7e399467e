"""How chat becomes words: what is put into the word index, and what is looked for in it."""

from __future__ import annotations

import re
import unicodedata

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
    return unicodedata.normalize("NFKC", bare).lower()  # again: a small raised A is an A once it stands on the line


# Folded as texts are, and cut at apostrophes, where FTS5 cuts.
STOP_WORDS = frozenset(part for word in SEARCH_STOP_WORDS for part in plain(word).split("'"))


def indexed(text: str) -> str:
    """Return the text as it goes into the index: runs of a script without spaces as overlapping pairs."""
    return UNSPACED.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", plain(text))


def sought(text: str) -> list[str]:
    """Return the words of a question, each once, in FTS5's quotes; stop words only when there is nothing else."""
    spaced = UNSPACED.sub(lambda run: f" {run[0]} ", plain(text[:MOST_CHARACTERS]))
    categories = map(unicodedata.category, spaced)
    letters = (
        letter if category[0] in "LN" or category in {"Mn", "Mc", "Co"} else " "
        for letter, category in zip(spaced, categories, strict=True)
    )
    words = dict.fromkeys("".join(letters).split())
    terms: list[str] = []
    for word in [word for word in words if word not in STOP_WORDS] or words:
        if len(word) > 1 and UNSPACED.fullmatch(word):
            terms += [f'"{pair}"' for pair in _pairs(word)[:-1]]
        else:
            terms.append(f'"{word}" *' if UNSPACED.fullmatch(word) else f'"{word}"')
    return terms


def _pairs(run: str) -> list[str]:
    # The last character stands alone too, so that the start of a pair finds every single character.
    return [run[place : place + 2] for place in range(len(run))]
