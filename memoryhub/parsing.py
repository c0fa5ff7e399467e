"""Reads a request's body: JSON only, and said to be JSON."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest
from ninja.parser import Parser


class NotJson(ValueError):
    """The body is said to be something else."""


class JsonParser(Parser):
    """JSON with a matching Content-Type (none at all is let pass); NaN and infinities are no JSON."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """Return the body; raises NotJson, or ValueError and RecursionError from the JSON reader."""
        if request.content_type not in ("application/json", ""):
            raise NotJson("Send the body as JSON, with Content-Type: application/json.")
        parsed: dict[str, Any] = json.loads(request.body, parse_constant=_refused)
        return parsed


def _refused(name: str) -> None:
    raise json.JSONDecodeError(f"{name} is no JSON number", name, 0)
