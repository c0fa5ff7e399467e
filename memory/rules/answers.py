"""Reads an answer with its question: "Cork, as ever", said to "where is everybody from", tells where one is from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from memoryhub.ai.chat_fence import Line
from memoryhub.language.word_lists import Shapes

_SHAPES = Shapes(__file__)
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
    place = _SHAPES["place"].fullmatch(answer)
    if place and _SHAPES["where_from"].search(question):
        return f"I'm from {place['place']}."
    if place and _SHAPES["where_live"].search(question):
        return f"I live in {place['place']}."
    words = _SHAPES["words"].fullmatch(answer)
    if words and _SHAPES["what_study"].search(question):
        return f"I study {answer}."
    asked = _SHAPES["are_you"].search(question)
    if words and asked and asked["trade"].lower() in answer.lower().split():
        return f"I'm {'an' if answer[0].lower() in 'aeiou' else 'a'} {answer}."
    if words and _SHAPES["what_do"].search(question):
        return f"I'm {'an' if answer[0].lower() in 'aeiou' else 'a'} {answer}."
    return None
