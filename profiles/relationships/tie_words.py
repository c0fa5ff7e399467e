"""The words of ties between people, and how close each says that two are."""

from __future__ import annotations

import re

_IN_LAW = "(?:mother|father|sister|brother|son|daughter)-in-law"  # before the words that they begin with
_PARTNERS = "husband|wife|spouse|partner|girlfriend|boyfriend|fianc[ée]e?"
_FAMILY = (
    "(?:step|half[- ]?)?(?:sister|brother)|twin|(?:step|grand)?(?:mother|father|mom|mum|dad|son|daughter)"
    "|grandma|grandpa|cousin|aunt|uncle|niece|nephew"
)
_CLOSE = "best friend|roommate|flatmate|housemate"
_OTHERS = "boss|manager|supervisor|mentor|co-?worker|colleague|tutor|teacher|neighbou?r|friend"
ROLES = rf"(?:{_IN_LAW}|{_PARTNERS}|{_FAMILY}|{_CLOSE}|{_OTHERS})\b(?!['’-])"
BONDS = "(?:married|engaged) to|together with|dating|(?:best )?friends with"
NAME = r"[^\W\d_a-z][\w-]*(?: [^\W\d_a-z][\w-]*)?"
_LEVELS = (
    (0.95, re.compile(rf"(?:{_PARTNERS}|(?:married|engaged) to|together with|dating)$")),
    (0.9, re.compile(rf"(?:{_IN_LAW}|{_FAMILY})$")),
    (0.8, re.compile(rf"(?:{_CLOSE}|best friends with)$")),
)
OTHERWISE = 0.6


def closeness(tie: str) -> float:
    """Return 0 to 1: what somebody says of two is surer than what is counted, and nobody's boss is nearest to them."""
    return next((level for level, words in _LEVELS if words.match(tie)), OTHERWISE)
