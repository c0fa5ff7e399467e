"""Whether a text names a language, a country or a city as another tongue does: Munich is München, Deutsch is German."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import lru_cache
from pathlib import Path

CITIES = Path(__file__).with_name("cities.txt")

# A name this long is known without its capital; a shorter one may be a common word ("vine" is a name of Vienna).
PLAIN = 6


def named(name: str, text: str, *, tongues: Collection[str]) -> bool:
    """Say if the text has another name of what `name` names.

    `tongues` are the ISO 639-1 codes of the languages that either may be in; names of cities are looked up in all.
    """
    told = (other for tongue in tongues for other in _elsewhere(name.casefold(), tongue, tongues))
    return any(_has(text, other, anyhow=True) for other in told) or any(
        _has(text, other, anyhow=len(other) >= PLAIN or not other.isascii()) for other in _cities(name)
    )


def _elsewhere(wanted: str, tongue: str, tongues: Collection[str]) -> Iterator[str]:
    """Yield what the tongues call the things that have this name in one of them."""
    things = [thing for thing, called in _names(tongue).items() if called.casefold() == wanted]
    for other in tongues:
        yield from (_names(other)[thing] for thing in things if thing in _names(other))


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
    for zone, told in locale.time_zones.items():
        # English names most zones by their key.
        if name := told.get("city") or (zone.rpartition("/")[2].replace("_", " ") if tongue == "en" else ""):
            names[f"city {zone}"] = name
    return names


def _cities(name: str) -> Iterator[str]:
    spelled = "|".join(map(re.escape, {name, _without_accents(name)}))
    line = re.compile(rf"^(?:[^\n]*\|)?(?:{spelled})(?:\|[^\n]*)?$", re.MULTILINE)
    for found in line.finditer(_every_city()):
        yield from (other for other in found[0].split("|") if other != name)


def _without_accents(name: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFD", name) if not unicodedata.combining(each))


@lru_cache(maxsize=1)
def _every_city() -> str:
    return unicodedata.normalize("NFC", CITIES.read_text(encoding="utf-8"))


def _has(text: str, name: str, *, anyhow: bool) -> bool:
    """Say if the text has the name as a word; outside the Latin alphabet with up to two letters for its case."""
    text = unicodedata.normalize("NFC", text)
    if unicodedata.name(name[0], "").startswith(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI")):
        return name in text
    latin = unicodedata.name(name[0], "").startswith("LATIN")
    stem = name if latin or len(name) < 4 else name[:-1]
    ending = r"(?:['’]\w+)?" if latin else r"\w{0,2}"
    flags = re.IGNORECASE if anyhow else re.NOFLAG
    return bool(re.search(rf"\b{re.escape(stem)}{ending}\b", text, flags))
