"""Counts what a model would be asked, while the rules answer in its place: measuring needs no provider and no money."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from memoryhub.ai import model_choice
from memoryhub.ai.task import Task

CHARACTERS = 4  # in a token, on average
Given = TypeVar("Given", bound=BaseModel)
Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True)
class Question:
    """One call that would have been made; tokens are estimated from characters."""

    purpose: str
    tokens_in: int
    tokens_out: int


_questions: ContextVar[list[Question]] = ContextVar("asked")


@contextmanager
def counting() -> Iterator[list[Question]]:
    """Have the rules answer in this thread as a model would be asked, and yield the list that the questions go to."""
    token = _questions.set([])
    try:
        with model_choice.standing_in(counted):
            yield _questions.get()
    finally:
        _questions.reset(token)


def counted(task: Task[Given, Answer], given: Given, _guild: int | None) -> Answer:
    """Answer by the rules and write the question down."""
    answer = task.offline(given)
    tokens_in = _tokens(task.instructions) + _tokens(task.prompt(given))
    _questions.get().append(Question(task.purpose, tokens_in, _tokens(answer.model_dump_json())))
    return answer


def _tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS)
