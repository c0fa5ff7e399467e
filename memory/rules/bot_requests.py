"""What a member asks of the bot's memory, by rules: remember, list, look up, update, forget, erase, why; no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from memory.rules import rewrite
from memoryhub.language import grammar
from memoryhub.language.word_lists import Shapes, pattern

Wish = Literal["remember", "lore", "list", "update", "erase", "forget", "why", "look_up", "none"]

_SHAPES = Shapes(__file__)
_WISHES = [
    (wish, pattern(f"(?s){{polite}}(?:{said})", _SHAPES.rows))
    for wish, said in (row.split(" ", 1) for row in _SHAPES.rows["wishes"])
]


@dataclass(frozen=True, slots=True)
class Request:
    """What is wished; `text` is what to remember, forget or look up, `old` what it is to take the place of."""

    wish: Wish
    text: str = ""
    old: str = ""


def read_request(text: str) -> Request:
    """Return what the words ask for; free conversation asks for nothing."""
    words = " ".join(text.split())
    for wish, said in _WISHES:
        if found := said.fullmatch(words):
            given = found.groupdict()
            subject = words if wish == "look_up" else (given.get("text") or "")
            return Request(cast("Wish", wish), subject.strip(" .!\"'"), (given.get("old") or "").strip(" .!\"'"))
    return Request("none")


def as_statement(text: str) -> str:
    """Return what a member said of themselves as a statement about them, in their own words where rules can't.

    A single word states nothing: "I" stays what it is.
    """
    statements = rewrite.readings(text[:1].upper() + text[1:])[-1]
    own = grammar.to_third_person(text) if len(text.split()) > 1 else text
    words = " ".join(statements) or own
    return words[:1].upper() + words[1:]
