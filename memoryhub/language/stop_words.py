"""Words too common to say what a text is about, in the languages the hub meets most."""

from __future__ import annotations

from collections import Counter

from memoryhub.language.word_lists import load

_LISTS = load(__file__)
_NO_WORDS = frozenset[str]()
_LANGUAGES = ("en", "de", "es", "fr", "pt", "it")
_BY_LANGUAGE = {language: _LISTS[language] | _LISTS[f"{language} texts"] for language in _LANGUAGES}
STOP_WORDS = _NO_WORDS.union(*_BY_LANGUAGE.values()) - _LISTS["full in English"]

# As people write them: a search index folds them as it folds texts.
SEARCH_STOP_WORDS = _NO_WORDS.union(
    *(words for name, words in _LISTS.items() if name in _LANGUAGES or name.endswith(" searches"))
)

_counts = Counter(word for words in _BY_LANGUAGE.values() for word in words)
TELLING_WORDS = {
    language: frozenset(word for word in words if _counts[word] == 1) for language, words in _BY_LANGUAGE.items()
}
"""The common words of each language that are none in the others: they tell the language of a text."""
