"""Whether a text names a language, a country or a city as another tongue does: Munich is München, Deutsch is German."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import cache, lru_cache
from pathlib import Path

CITIES = Path(__file__).with_name("cities.txt")

# A name this long is known without its capital; a shorter one may be a common word ("vine" is a name of Vienna).
PLAIN = 6

# What stands before a place that is told of in small letters; shorter names, and those that are words, are left.
_TOLD_OF = re.compile(
    r"(?P<before>\b(?:in|to|from|near|at|around) )(?P<name>[a-zà-ÿ]+(?: (?!(?:in|to|from|near|at)\b)[a-zà-ÿ]+)?)\b"
)
LEAST = 5
_WORDS = frozenset({"reading", "mobile", "orange"})


def named(name: str, text: str, *, tongues: Collection[str]) -> bool:
    """Say if the text has another name of what `name` names.

    `tongues` are the ISO 639-1 codes of the languages that either may be in; names of cities are looked up in all.
    """
    for tongue in tongues:
        things = [thing for thing, called in _names(tongue).items() if called.casefold() == name.casefold()]
        for names in map(_names, tongues):
            if any(_has(text, names[thing], any_case=True) for thing in things if thing in names):
                return True
    bare = "".join(letter for letter in unicodedata.normalize("NFD", name) if not unicodedata.combining(letter))
    spelled = "|".join(map(re.escape, {name, bare}))
    city = re.compile(rf"^(?:[^\n]*\|)?(?:{spelled})(?:\|[^\n]*)?$", re.MULTILINE)
    return any(
        _has(text, other, any_case=len(other) >= PLAIN or not other.isascii())
        for line in city.finditer(_cities())
        for other in line[0].split("|")
        if other != name
    )


def is_place(name: str) -> bool:
    """Say if a name, as it is written, is that of a country, or of a city that is large or names a time zone."""
    return name in _places()


def with_capitals(text: str) -> str:
    """Return a chat's text with a capital where it tells of a place in small letters: "i live in leipzig"."""
    return _TOLD_OF.sub(lambda told: told["before"] + _capital(told["name"]), text)


def _capital(words: str) -> str:
    """Return the words with capitals if they, or the first alone, are a place's name."""
    first, _, _ = words.partition(" ")
    for name in (words, first):
        written = name.title()
        if name not in _WORDS and len(name) >= LEAST and is_place(written):
            return written + words[len(name) :]
    return words


@cache
def _places() -> frozenset[str]:
    known = (name for thing, name in _names("en").items() if not thing.startswith("language"))
    return frozenset(known) | {name for line in _cities().splitlines() for name in line.split("|")}


@lru_cache(maxsize=64)
def _names(tongue: str) -> dict[str, str]:
    """Return what languages, countries and the cities of time zones are called in a tongue, by Unicode's CLDR."""
    from babel import Locale, UnknownLocaleError

    try:
        locale = Locale.parse(tongue)
    except (UnknownLocaleError, ValueError):
        return {}
    names = {f"language {code}": name for code, name in locale.languages.items()}
    names |= {f"country {code}": name for code, name in locale.territories.items()}
    for zone, known in locale.time_zones.items():
        # English names most zones by their key.
        if name := known.get("city") or (zone.rpartition("/")[2].replace("_", " ") if tongue == "en" else ""):
            names[f"city {zone}"] = name
    return names


@cache
def _cities() -> str:
    return unicodedata.normalize("NFC", CITIES.read_text(encoding="utf-8"))


def _has(text: str, name: str, *, any_case: bool) -> bool:
    """Say if the text has the name as a word; outside the Latin alphabet with up to two letters for its case."""
    text = unicodedata.normalize("NFC", text)
    if unicodedata.name(name[0], "").startswith(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI")):
        return name in text
    latin = unicodedata.name(name[0], "").startswith("LATIN")
    stem = name if latin or len(name) < 4 else name[:-1]
    ending = r"(?:['’]\w+)?" if latin else r"\w{0,2}"
    flags = re.IGNORECASE if any_case else re.NOFLAG
    return bool(re.search(rf"\b{re.escape(stem)}{ending}\b", text, flags))
