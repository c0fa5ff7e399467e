"""Which way text runs: no signs that turn it around get onto a page, and a name does not turn a sentence around."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

SIGNS = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
TURNING = dict.fromkeys(SIGNS)
_STRONG = {"L": "ltr", "R": "rtl", "AL": "rtl"}
WRITTEN = re.compile(b"|".join(chr(sign).encode() for sign in SIGNS))


def direction_of(text: str) -> str:
    """Return the direction of most words, "rtl" or "ltr": browsers take that of the first, which is often a name."""
    first = (next(filter(None, map(_STRONG.get, map(unicodedata.bidirectional, word))), "") for word in text.split())
    counted = Counter(first)
    return "rtl" if counted["rtl"] > counted["ltr"] else "ltr"


class UprightText:
    """Neutralises them in all that is answered as a page, wherever in it the text stands; the JSON API keeps them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer without them."""
        response = self.get_response(request)
        if not response.streaming and response.headers.get("Content-Type", "").startswith("text/html"):
            content = response.content
            if WRITTEN.search(content):
                response.content = WRITTEN.sub(b"", content)
        return response
