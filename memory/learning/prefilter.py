"""Tells, before any model is asked, which messages can't hold a fact: greetings, links, commands, code, emoji."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from memoryhub.language.chat_marks import DISCORD_MARK, FENCED_CODE, LINK
from memoryhub.language.word_lists import load

Reason = Literal["command", "code", "link", "emoji", "greeting"]

_COMMAND = re.compile(r"\s*(?:[!/](?!me\b)[a-z][\w-]*(?:\s|$)|[.;$?+-][a-z][\w-]*\s*$)")
_CODE = re.compile(rf"{FENCED_CODE}|`[^`\n]+`", re.DOTALL)
_PROMPT = re.compile(r"^[ \t]*(?:>>> |\$ ).*$", re.MULTILINE)
_LINK = re.compile(LINK, re.IGNORECASE)
_SIGN = re.compile(rf"{DISCORD_MARK}|(?<!\w):\w+:|(?<!\w)[:;=x8]['-]?[dpo]\b", re.IGNORECASE)
_PARTS: tuple[tuple[Reason, tuple[re.Pattern[str], ...]], ...] = (
    ("code", (_CODE, _PROMPT)),
    ("link", (_LINK,)),
    ("emoji", (_SIGN,)),
)
_LETTER = re.compile(r"[^\W_]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LAUGHTER = re.compile(r"(?:[hj][aeiou]+){2,}h?|lo+l|lma+o+|ro+fl|k{2,}|w{2,}|x+d+")
_DOUBLED = re.compile(r"(.)\1+")
MOST_WORDS = 6  # of a greeting

_LISTS = load(Path(__file__).with_suffix(".txt"))
_FIRST = {_DOUBLED.sub(r"\1", word) for word in _LISTS["greetings"]}
_KNOWN = _FIRST | {_DOUBLED.sub(r"\1", word) for word in _LISTS["small words"]}


def skip_reason(text: str) -> Reason | None:
    """Return why the message can't hold a fact, None when it may: in doubt it may, since a fact is worth a call."""
    if _COMMAND.match(text):
        return "command"
    reason: Reason = "emoji"  # also marks alone
    for name, patterns in _PARTS:
        if not _LETTER.search(text):
            return reason
        reason = name
        for pattern in patterns:
            text = pattern.sub(" ", text)
    if not _LETTER.search(text):
        return reason
    words = [_DOUBLED.sub(r"\1", word) for word in _WORD.findall(text.casefold()) if not _LAUGHTER.fullmatch(word)]
    unknown = [word for word in words if word not in _KNOWN]
    if any(map(str.isdigit, text)) or len(words) > MOST_WORDS or len(unknown) > 1:
        return None
    return "greeting" if not unknown or (words[0] in _FIRST and len(words) <= 3) else None
