"""Which language a line is in: by script where the script says it, else by a trained classifier."""

from __future__ import annotations

import re

from memoryhub.language.stop_words import TELLING_WORDS
from memoryhub.language.tokenizer import tokens

MIN_WORDS = 4  # under four words a classifier guesses

_BY_SCRIPT = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u3400-\u9fff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
)


def detect(text: str) -> str | None:
    """Return the ISO 639-1 code of the language of `text`, or None when it is too short to say."""
    for language, script in _BY_SCRIPT:
        if len(script.findall(text)) >= 2:
            return language
    words = tokens(text)
    if len(words) < MIN_WORDS:
        return None
    if common := by_common_words(words):
        return common
    import py3langid

    return str(py3langid.classify(text)[0])


def by_common_words(words: list[str]) -> str | None:
    """Return the language whose own common words stand out in `words`; much cheaper than the classifier."""
    counts = sorted(
        ((sum(word in own for word in words), language) for language, own in TELLING_WORDS.items()), reverse=True
    )
    (best, language), (second, _) = counts[0], counts[1]
    return language if best >= 2 and best >= 2 * second + 1 else None


def by_any_common_word(words: list[str]) -> list[str]:
    """Return the languages that a few words may be of: those with a common word among them, else all that are known."""
    known = [language for language, own in TELLING_WORDS.items() if any(word in own for word in words)]
    return known or list(TELLING_WORDS)
