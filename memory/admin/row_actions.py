"""How an action of the admin calls a domain verb: row by row, signed, and what is refused is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin, messages
from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone

from memoryhub.common.permissions import actor
from memoryhub.errors import Conflict, Refused

Verb = Callable[..., Any]


def each(door: admin.ModelAdmin[Any], request: HttpRequest, rows: Iterable[Model], verb: Verb, **how: object) -> None:
    """Call the verb for each row and say how many it did; what can't be done is told, not raised."""
    done, now = 0, timezone.now()
    for row in rows:
        try:
            verb(row, **how, actor=actor(request), now=now)
        except (Conflict, Refused) as refusal:
            door.message_user(request, f"{row}: {refusal}", messages.WARNING)
        else:
            done += 1
    door.message_user(request, f"Done: {done}.")
