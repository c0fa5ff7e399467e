"""What a message on a page offers to take back: the form that does it travels in the message's tags."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.urls import reverse

MARK = "form "
MOST = 1_500  # characters: messages travel in a cookie


def offer(name: str, *ids: int, fields: Mapping[str, str]) -> str:
    """Return the tags of a message that offers to post these fields to that address; none where they are too long."""
    tags = MARK + json.dumps([reverse(name, args=ids), dict(fields)])
    return tags if len(tags) <= MOST else ""


def offered(tags: str | None) -> dict[str, Any]:
    """Return the form that the tags hold: its `path` and its `fields`; nothing where they hold none."""
    if not (tags or "").startswith(MARK):
        return {}
    path, fields = json.loads((tags or "").removeprefix(MARK))
    return {"path": path, "fields": fields}
