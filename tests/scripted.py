"""A scripted model: answers are handed out in order, questions are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from pydantic import BaseModel

from memoryhub.ai import ModelFailed, Task

ASKED = "memoryhub.ai.ask_model.ask_once"
"""What asks a model, once: a stand-in goes here."""
OFFLINE = "memoryhub.ai.model_choice.is_offline"
"""What says that no model is asked: where one stands in, it is not so."""


class ScriptedModel:
    """Stands in for the models: an answer for a purpose is returned, an exception raised, else the rules answer."""

    def __init__(self) -> None:
        self.answers: dict[str, list[BaseModel | Exception]] = {}
        self.asked: list[tuple[str, BaseModel]] = []
        self.events: dict[str, list[Callable[[], object]]] = {}

    def will(self, purpose: str, *answers: BaseModel | Exception) -> ScriptedModel:
        """Give these answers to the next questions of the purpose."""
        self.answers.setdefault(purpose, []).extend(answers)
        return self

    def fail(self, purpose: str, times: int = 1) -> ScriptedModel:
        """Fail the next questions of the purpose as an overloaded provider does."""
        return self.will(purpose, *(ModelFailed("unavailable") for _ in range(times)))

    def meanwhile(self, purpose: str, event: Callable[[], object]) -> ScriptedModel:
        """Let something happen once while it thinks about the next question of the purpose."""
        self.events.setdefault(purpose, []).append(event)
        return self

    def __call__(self, task: Task[Any, Any], given: Any, *, guild: int | None) -> Any:
        """Answer as `ask_once` does."""
        self.asked.append((task.purpose, given))
        if events := self.events.get(task.purpose):
            events.pop(0)()
        waiting = self.answers.get(task.purpose)
        answer = waiting.pop(0) if waiting else task.offline(given)
        if isinstance(answer, Exception):
            raise answer
        return answer


@contextmanager
def scripted() -> Iterator[ScriptedModel]:
    """Put a scripted model in the place of every model that is asked."""
    model = ScriptedModel()
    with patch(ASKED, model), patch(OFFLINE, return_value=False):
        yield model


@contextmanager
def killed_at(place: str) -> Iterator[None]:
    """Let the work inside end at a function, by its dotted name, as if its process were told to stop there."""
    with patch(place, side_effect=SystemExit), pytest.raises(SystemExit):
        yield
