"""What the question of a member asks a model, and what is taken from its answer."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator

from memoryhub.language.clip import Clip, First

MOST_SENTENCES = 4
SENTENCE = 400  # characters


class Line(BaseModel):
    """A memory as the model sees it: its number among the lines, who said it or is told of, on which day."""

    number: int
    who: str
    day: str
    text: str


class AnswerInput(BaseModel):
    """What is asked, by whom, on which day, and what memory has to say to it."""

    question: str
    asker: str = ""
    today: str
    lines: list[Line]


class Sentence(BaseModel):
    """A sentence of the answer, and the numbers of the lines that it rests on."""

    text: Annotated[str, BeforeValidator(Clip(SENTENCE))]
    sources: list[int]


class AnswerText(BaseModel):
    """The answer, sentence by sentence; none where the lines do not answer."""

    sentences: Annotated[list[Sentence], BeforeValidator(First(MOST_SENTENCES))] = []


class NotAsked(AnswerText):
    """What stands in for a model that could not be asked: then the lines that pass the gate answer."""
