"""A member's question, and its answer with sources."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field

from memory.answers.answering import Answered
from memory.api.schemas.search import LONGEST_QUESTION, Found
from notes.messages.schemas import PlatformId, Strict, Text


class QuestionIn(Strict):
    """What is asked, where the answer will be read (without a channel: by anybody), and who says I in it."""

    text: Annotated[str, Text, Field(min_length=1, max_length=LONGEST_QUESTION)]
    channel: PlatformId | None = None
    member: PlatformId | None = None


class SentenceOut(BaseModel):
    """A sentence of the answer, and the numbers of the sources that tell it."""

    text: str
    sources: list[int]


class CitedOut(Found):
    """A memory that the answer cites, and the number by which it does."""

    number: int


class AnswerOut(BaseModel):
    """The answer as one text and sentence by sentence, and the memories that it cites.

    `known` is false where nothing that may be told answers; `by` says whether a model wrote the sentences, or the best
    lines stand as they are.
    """

    answer: str
    known: bool
    by: Literal["model", "rules"]
    sentences: list[SentenceOut]
    sources: list[CitedOut]

    @classmethod
    def of(cls, answered: Answered) -> Self:
        """Return the answer as the API shows it."""
        sources = [
            CitedOut(number=number, **Found.of(memory).model_dump(exclude_unset=True))
            for number, memory in answered.memories.items()
        ]
        sentences = [SentenceOut(text=each.text, sources=each.sources) for each in answered.sentences]
        return cls(
            answer=answered.text, known=answered.known, by=answered.by, sentences=sentences, sources=sources
        )  # fmt: skip
