"""Tells a summary from the chat itself: raw chat is never stored as a summary, not even where a model fails."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from memoryhub.ai.chat_fence import Line

LEAST_WORDS = 4  # a shorter message says nothing when its words come back
MOST_IN_A_ROW = 3
MOST_OF_ALL = 0.5
_WORD = re.compile(r"\w+")
_PROMPT_LINE = re.compile(r"^\W*\[\d+\] \d{4}-\d\d-\d\d", re.MULTILINE)


def is_raw(text: str, lines: Iterable[Line]) -> bool:
    """Tell whether a text repeats the chat: lines as the prompt has them, four messages in a row, or over half of all.

    A message is repeated when all its words stand in the text in order, whatever their case and punctuation.
    """
    if _PROMPT_LINE.search(text):
        return True
    answer = _words(text)
    repeated = [_words(line.text) in answer for line in lines if _words(line.text).count(" ") > LEAST_WORDS]
    longest_run = max((len(list(run)) for is_repeated, run in groupby(repeated) if is_repeated), default=0)
    return longest_run > MOST_IN_A_ROW or sum(repeated) > max(MOST_IN_A_ROW, MOST_OF_ALL * len(repeated))


def _words(text: str) -> str:
    """Return the words between blanks, so that only whole words are found in one another."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
