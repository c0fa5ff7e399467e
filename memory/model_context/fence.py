"""How what people said reaches a model: on one line, without marks that could end the fence around it."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import AfterValidator

from memory.context.rendering import RULE
from memoryhub.language.clip import flat

Said = Annotated[str, AfterValidator(flat)]
"""A text that comes from chat, or was made of it."""
OPEN, CLOSE = "<background_facts>", "</background_facts>"
_MARKS = {ord("<"): "\\u003c", ord(">"): "\\u003e"}


def fenced_data(data: dict[str, Any]) -> str:
    """Return the rule and, inside of the fence, the data as JSON; ids, too, are written so that none can close it."""
    return "\n".join([RULE, OPEN, json.dumps(data, ensure_ascii=False).translate(_MARKS), CLOSE])


def fenced_paper(text: str) -> str:
    """Return the rule and, inside of the fence, a page of Markdown line by line."""
    return "\n".join([RULE, OPEN, *map(_flat_line, text.split("\n")), CLOSE])


def _flat_line(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip(" "))]
    return indent + flat(line)
