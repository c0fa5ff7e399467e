"""What a note must not hold, whatever a model made of the chat: orders, secrets, made-up addresses, the raw chat."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from itertools import groupby

from memoryhub.ai.chat_fence import INSTRUCTION, Line
from memoryhub.language import sentences
from memoryhub.language.chat_marks import addresses
from memoryhub.safety import carries_diagnosis, carries_instruction, carries_secret, is_request, sensitive

LEAST_WORDS = 4  # a shorter message says nothing when its words come back
MOST_IN_A_ROW = 3
MOST_OF_ALL = 0.5
NOTHING_KEPT = "People talked of things that are not kept here."  # where nothing is left that may be stored
_WORD = re.compile(r"\w+")
_ASKING = re.compile(r"\W*(?:what|who|when|where|why|how)\b", re.IGNORECASE)
_PROMPT_LINE = re.compile(r"^[^\w\n]*\[\d+\] \d{4}-\d\d-\d\d", re.MULTILINE)


def refuse(text: str, source: str, *, kept: Collection[str] = ()) -> str | None:
    """Return why a text that is to tell what the source says must not be stored, None when it may.

    `kept` names the sensitive kinds that the guild keeps.
    """
    reasons: dict[str, Callable[[], bool]] = {
        "instruction": lambda: carries_instruction(text.replace(INSTRUCTION, "wrote")),
        "secret": lambda: carries_secret(text),
        "diagnosis": lambda: carries_diagnosis(text),
        "sensitive": lambda: sensitive(text, kept=kept) is not None,
        "address": lambda: not addresses(text) <= addresses(source),
    }
    return next((reason for reason, holds in reasons.items() if holds()), None)


def cleaned(text: str, source: str, *, kept: Collection[str] = ()) -> str:
    """Return the text without the sentences that must not be stored; empty if nothing is left that may be."""
    lines = [sentences(line) for line in text.split("\n")]
    if not refuse(text, source, kept=kept) and not any(is_order(sentence) for line in lines for sentence in line):
        return text
    lines = [[s for s in line if not (is_order(s) or refuse(s, source, kept=kept))] for line in lines]
    rest = "\n".join(" ".join(line) for line in lines if line)
    return "" if refuse(rest, source, kept=kept) else rest


def is_order(sentence: str) -> bool:
    """Tell whether a sentence asks for something to be written or explained, as one does of a model."""
    return is_request(sentence) and not sentence.rstrip().endswith("?") and not _ASKING.match(sentence)


def items(texts: Iterable[str], source: str, *, kept: Collection[str] = ()) -> list[str]:
    """Return those of a summary's items that may be stored."""
    return [text for text in texts if not refuse(text, source, kept=kept)]


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
