"""Reads a request: the body, JSON only and said to be JSON; parameters, where empty ones are not given."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser

from memoryhub.errors import Refused


class NotJson(Refused):
    """The body is said to be something else."""


class JsonParser(Parser):
    """JSON with a matching Content-Type (none at all is let pass); NaN and infinities are no JSON."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """Return the body; raises NotJson, or ValueError and RecursionError from the JSON reader."""
        if request.content_type not in ("application/json", ""):
            raise NotJson("Send the body as JSON, with Content-Type: application/json.")

        def refuse(name: str) -> None:
            raise json.JSONDecodeError(f"{name} is no JSON number", name, 0)

        body: dict[str, Any] = json.loads(request.body, parse_constant=refuse)
        return body

    def parse_querydict(
        self, data: MultiValueDict[str, Any], list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        """Return the parameters; one without a value, as `member=`, is not given, as in forms that are left empty."""
        given = super().parse_querydict(data, list_fields, request)
        return {name: value for name, value in given.items() if value not in ("", [""])}
