"""Reads a request: JSON bodies only; parameters, where empty ones are not given; slashes in ids."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

from django.http import HttpRequest, HttpResponse
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser

from memoryhub.errors import Refused

SLASH = "\udc2f"  # stands for %2F of an id while the route is looked for; no address that was decoded can hold it


class EncodedSlashes:
    """Keeps a slash that the caller wrote as %2F inside its id: `messages/a%2Fderived` is the message `a/derived`.

    What is between the web server and the routes decodes an address first. The server also tells what it was sent.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Have the routes of the API looked for with the slashes of ids marked."""
        raw = getattr(request, "scope", {}).get("raw_path", b"").decode("ascii", "replace")
        sent = raw or urlsplit(request.META.get("RAW_URI", "")).path  # by ASGI, by WSGI
        if "%2f" in sent.lower() and request.path_info.startswith(("/api/", "/mem0/")):
            parts = re.split("%2f", sent.removeprefix(request.META.get("SCRIPT_NAME", "")), flags=re.IGNORECASE)
            request.path_info = SLASH.join(map(unquote, parts))
        return self.get_response(request)

    def process_view(self, request: HttpRequest, _view: object, _args: object, kwargs: dict[str, Any]) -> None:
        """Put the slashes back into what the view is called with."""
        for name, value in kwargs.items():
            if isinstance(value, str):
                kwargs[name] = value.replace(SLASH, "/")


class NotJson(Refused):
    """The body is said to be something else, or to be packed."""


class JsonParser(Parser):
    """JSON with a matching Content-Type (none at all is let pass); NaN and infinities are no JSON."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """Return the body; raises NotJson, or ValueError and RecursionError from the JSON reader."""
        if request.content_type not in ("application/json", ""):
            raise NotJson("Send the body as JSON, with Content-Type: application/json.")
        if request.headers.get("Content-Encoding", "identity") != "identity":
            raise NotJson("Send the body as it is, without Content-Encoding: nothing is unpacked here.")

        def finite(number: str) -> float:
            if not math.isfinite(found := float(number)):
                raise json.JSONDecodeError(f"{number} is no JSON number", number, 0)
            return found

        # Python also takes 1e999 for infinite; a database would refuse to store it as JSON.
        body: dict[str, Any] = json.loads(request.body, parse_constant=finite, parse_float=finite)
        return body

    def parse_querydict(
        self, data: MultiValueDict[str, Any], list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        """Return the parameters; one without a value, as `member=`, is not given, as in forms that are left empty."""
        given = super().parse_querydict(data, list_fields, request)
        return {name: value for name, value in given.items() if value not in ("", [""])}
