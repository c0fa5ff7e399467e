"""Reads a model's answer leniently: JSON out of the prose around it, and no more than can be meant; slow to import."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

LONGEST = 200_000  # characters; the longest answer that a task allows has a tenth of it
SHOWN = 2_000  # of a longer one, when the model is asked to repair it


BRACKET = re.compile(r"[{\[]")
TRIES = 50  # brackets of an answer that may open its JSON


class LenientModel(WrapperModel):
    """A model whose answers are cut down to the JSON that was asked for; everything else is the model's own."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Make the request and cut the answer down to its JSON; an answer in words stays as it is."""
        response = await super().request(messages, model_settings, model_request_parameters)
        wanted = model_request_parameters.output_object
        if wanted is None:
            return response
        parts = [
            replace(part, content=bare(part.content, wanted.json_schema)) if isinstance(part, TextPart) else part
            for part in response.parts
        ]
        return replace(response, parts=parts)


def bare(text: str, schema: dict[str, Any]) -> str:
    """Return the object of the schema that the text holds, or its only list under its name.

    What holds none is returned from its first to its last brace, for the model to repair.
    """
    if len(text) > LONGEST:
        return text[:SHOWN]
    fields: dict[str, Any] = schema.get("properties", {})
    lists = [name for name, field in fields.items() if field.get("type") == "array"]
    only = lists[0] if len(lists) == 1 and {*schema.get("required", ())} <= {*lists} else None
    start = -1
    for _ in range(TRIES):
        if not (opening := BRACKET.search(text, start + 1)):
            break
        start = opening.start()
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and fields.keys() & value.keys():
            return text[start:end]
        if isinstance(value, list) and only and all(isinstance(item, dict | str) for item in value):
            return json.dumps({only: value}, ensure_ascii=False)
        start = end - 1
    first, last = text.find("{"), text.rfind("}")
    return text[first : last + 1] if 0 <= first < last else text
