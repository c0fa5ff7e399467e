"""What the wording of a recap asks a model, and what is taken from its answer."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator

from memory.models.posts import LINE
from memoryhub.language.clip import Clip, First

MOST_LINES = 20


class RecapLineIn(BaseModel):
    """A line as rules found it, by its number, under its heading."""

    number: int
    section: str
    text: str


class RecapInput(BaseModel):
    """What is to be told."""

    lines: list[RecapLineIn]


class Worded(BaseModel):
    """A line in better words."""

    number: int
    text: Annotated[str, BeforeValidator(Clip(LINE))]


class RecapText(BaseModel):
    """The lines in better words; one that is left out stays as it was."""

    lines: Annotated[list[Worded], BeforeValidator(First(MOST_LINES))] = []
