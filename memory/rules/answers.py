"""Reads an answer with its question: "Cork, as ever", said to "where is everybody from", tells where one is from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from memoryhub.ai.chat_fence import Line
from memoryhub.language.word_lists import Shapes, pattern

_SHAPES = Shapes(__file__)
_JOINED = [
    (told, pattern(asked, _SHAPES.rows), pattern(said, _SHAPES.rows))
    for told, asked, said in (row.split(" => ") for row in _SHAPES.rows["joined"])
]
SOON = timedelta(minutes=15)
OF_ONE, OF_ALL = 1, 8  # lines after a question that may answer it: of one who was asked, and of all or by a reply
LONGEST = 160  # characters of a line that is asked or answers


def statement(line: Line, before: Sequence[Line]) -> str | None:
    """Return what a line says as an answer, as a sentence of its author: "I'm from Cork."; None where it is none.

    `before` are the lines before it. The newest question of another that it may answer counts.
    """
    if len(line.text) > LONGEST or not (said := _SHAPES["answer"].match(line.text.strip())):
        return None
    for distance, asked in enumerate(reversed(before[-OF_ALL:]), start=1):
        near = line.sent_at - asked.sent_at <= SOON and len(asked.text) <= LONGEST
        if asked.author == line.author or not near or (line.answers and line.answers != asked.message):
            continue
        to_all = line.answers == asked.message or _SHAPES["to_all"].search(asked.text)
        if distance > (OF_ALL if to_all else OF_ONE):
            continue
        if found := _joined(asked.text, said["what"]):
            return found
    return None


def _joined(question: str, answer: str) -> str | None:
    for told, asked, said in _JOINED:
        if (found := said.fullmatch(answer)) and asked.search(question):
            return _with_article(found.expand(told))
    trade = _SHAPES["are_you"].search(question)
    if trade and _SHAPES["words"].fullmatch(answer) and trade["trade"].lower() in answer.lower().split():
        return _with_article(f"I'm a {answer}.")
    return None


def _with_article(sentence: str) -> str:
    """Return a sentence with "an" where the word that it opens on takes it: "I'm an engineer"."""
    return re.sub(r"^(I'm a)(?= [aeiou])", r"\1n", sentence, flags=re.IGNORECASE)
