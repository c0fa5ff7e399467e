"""Prints the JSON API's document as generators of clients take it: `manage.py openapi`."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand

CHOICES = ("anyOf", "oneOf")
FILES = {"application/zip": "application/octet-stream"}  # the one kind of file that generators know


class Command(BaseCommand):
    """openapi."""

    help = "Print the OpenAPI document without what makes generators of clients stumble; `make client` uses it."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Print the document."""
        from memoryhub.site.api import api

        self.stdout.write(json.dumps(plain(api.get_openapi_schema()), default=str))


def plain(part: Any) -> Any:
    """Return a document without the choices that say which fields of an object go together: the hub checks them.

    A file is said to be just some file.
    """
    if isinstance(part, list):
        return [plain(each) for each in part]
    if not isinstance(part, dict):
        return part
    dropped = CHOICES if "properties" in part else ()
    return {FILES.get(name, name): plain(value) for name, value in part.items() if name not in dropped}
