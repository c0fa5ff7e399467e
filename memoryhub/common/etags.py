"""Versions of what the JSON API shows: an ETag on what can be changed, and changes only of the version seen."""

from __future__ import annotations

import hashlib
import json
from typing import TypeVar

from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_etags
from pydantic import BaseModel

from memoryhub.errors import Conflict

Shown = TypeVar("Shown", bound=BaseModel)
VERSIONED = {
    "show_fact", "change_fact", "forget_fact",
    "show_entry", "change_entry", "refuse_entry",
    "show_message", "edit_message", "delete_message",
}  # fmt: skip
"""Routes, by name, whose answers have an ETag, or which take If-Match."""


class Stale(Conflict):
    """What is to be changed is no longer what the caller saw."""


def tag(shown: BaseModel) -> str:
    """Return the version of what is shown, as an ETag."""
    body = json.dumps(shown.model_dump(mode="json"), sort_keys=True)
    return f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"'


def tagged(response: HttpResponse, shown: Shown) -> Shown:
    """Put the version on the answer and return what is shown."""
    response["ETag"] = tag(shown)
    return shown


def refuse_stale(request: HttpRequest, shown: BaseModel) -> None:
    """Raise Stale if If-Match names versions and what stands now is none of them."""
    named = parse_etags(request.headers.get("If-Match", "*"))
    if "*" not in named and tag(shown) not in named:
        raise Stale("This was changed since you got it; get it again.")


def unchanged(request: HttpRequest, response: HttpResponse) -> bool:
    """Say whether the caller has what the answer shows, by If-None-Match."""
    named = [each.removeprefix("W/") for each in parse_etags(request.headers.get("If-None-Match", ""))]
    return request.method == "GET" and response.get("ETag") in named
