"""Proper names of a text: words with a capital where the sentence does not ask for one."""

from __future__ import annotations

import re

from memoryhub.language.word_lists import listed

_NAME = re.compile(r"(?<=[\w,;:’'\"”)] )(?:[A-ZÀ-Þ][\w'’-]*[\w])(?: [A-ZÀ-Þ][\w'’-]*\w)*")
_NO_NAMES = listed(
    """I'm I've I'll I'd I’m I’ve I’ll I’d Christmas English Monday Tuesday Wednesday Thursday Friday Saturday Sunday
        January February March April May June July August September October November December"""
)


def names(text: str) -> list[str]:
    """Return the names inside the sentences of `text`, in order; days and months are none."""
    found = []
    for run in _NAME.findall(text):
        words = [word for word in run.split() if word not in _NO_NAMES]
        if words:
            found.append(" ".join(words).removesuffix("'s").removesuffix("’s"))
    return found
