"""What a member asks of the bot's memory, by rules: remember, list, look up, update, forget, why; nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from memory.rules import grammar, rewrite

Wish = Literal["remember", "lore", "list", "update", "forget", "why", "look_up", "none"]

_POLITE = r"(?:(?:please|hey|hi|hello|ok|okay|so|could you|can you|would you|will you|i want you to|pls)[\s,]+)*"
_RULES: tuple[tuple[Wish, str], ...] = (
    ("list", r"what (?:do|did|have) you (?:know|remember|learn(?:ed|t)?|stored?) (?:about|of|on) me\b.*"),
    ("list", r"(?:list|show)(?: me)? (?:all )?(?:of )?(?:my memories|what you (?:know|remember) (?:about|of) me)\b.*"),
    ("list", r"do you (?:know|remember) (?:anything|something) about me\b.*"),
    ("why", r"(?:where|how|why) (?:did|do|have) you (?:learn|know|remember|get|hear)(?:ed|t)? (?:that|this|it)\b.*"),
    ("why", r"(?:who|what) (?:told|makes) you (?:that|think so|this)\b.*"),
    (
        "lore",
        r"(?:remember|note|keep in mind) (?:for|about) (?:the |this )?(?:server|guild|community"
        r"|group)[:,]?\s*(?:that )?(?P<text>.+)",
    ),
    ("update", r"(?:update|change|correct) (?P<old>.+?) (?:to|into)\s+(?P<text>.+)"),
    (
        "forget",
        r"(?:forget|delete|remove|erase) (?:that |about |the memory (?:that |about )?"
        r"|what you know about )?(?P<text>.+)",
    ),
    ("remember", r"(?:remember|note|keep in mind|don'?t forget)(?: that)?[:,]?\s+(?P<text>.+)"),
    ("look_up", r"(?:do you (?:know|remember)|what do you (?:know|remember) about|who|what|when|where|which)\b.+"),
)  # fmt: skip
_PATTERNS = [(wish, re.compile(_POLITE + rule, re.IGNORECASE | re.DOTALL)) for wish, rule in _RULES]


@dataclass(frozen=True, slots=True)
class Request:
    """What is wished; `text` is what to remember, forget or look up, `old` what it is to take the place of."""

    wish: Wish
    text: str = ""
    old: str = ""


def read_request(text: str) -> Request:
    """Return what the words ask for; free conversation asks for nothing."""
    words = " ".join(text.split())
    for wish, pattern in _PATTERNS:
        if found := pattern.fullmatch(words):
            given = found.groupdict()
            subject = words if wish == "look_up" else (given.get("text") or "")
            return Request(wish, subject.strip(" .!\"'"), (given.get("old") or "").strip(" .!\"'"))
    return Request("none")


def as_statement(text: str) -> str:
    """Return what a member said of themselves as a statement about them, in their own words where rules can't."""
    statements = rewrite.readings(text[:1].upper() + text[1:])[-1]
    words = " ".join(statements) if statements else grammar.to_third_person(text)
    return words[:1].upper() + words[1:]
