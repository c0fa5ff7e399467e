"""Reads a model's answer leniently: JSON out of the prose around it, and no more than can be meant; slow to import."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.wrapper import WrapperModel

LONGEST = 200_000  # characters; the longest answer that a task allows has a tenth of it
SHOWN = 2_000  # of a longer one, when the model is asked to repair it


class LenientModel(WrapperModel):
    """A model whose answers are cut down to their JSON; everything else is the model's own."""

    async def request(self, *given: Any, **named: Any) -> ModelResponse:
        """Make the request and cut the answer down to its JSON."""
        response = await super().request(*given, **named)
        parts = [
            replace(part, content=bare(part.content)) if isinstance(part, TextPart) else part for part in response.parts
        ]
        return replace(response, parts=parts)


def bare(text: str) -> str:
    """Return the text from its first to its last brace; what has none, and no object in it, stays as it is."""
    if len(text) > LONGEST:
        return text[:SHOWN]
    start, end = text.find("{"), text.rfind("}")
    listed = text.lstrip().startswith("[")
    return text if listed or not 0 <= start < end else text[start : end + 1]
