"""What a task is: a name, instructions, schemas of input and output, and a function that does it without a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel

Tier = Literal["fast", "careful", "reply"]
Given = TypeVar("Given", bound=BaseModel)
Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class Task(Generic[Given, Answer]):
    """One kind of question to a model.

    `prompt` renders the input as the user message (chat fenced as data); `offline` answers without a model,
    deterministically; `purpose` is what the ledger records.
    """

    purpose: str
    tier: Tier
    instructions: str
    answer: type[Answer]
    prompt: Callable[[Given], str]
    offline: Callable[[Given], Answer]
    max_tokens: int = 2048
