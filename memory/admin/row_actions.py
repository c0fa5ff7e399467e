"""How an action of the admin calls a domain verb, signed: row by row, or once for all rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from memoryhub.common.permissions import actor
from memoryhub.community.models import Guild
from memoryhub.errors import Conflict, Refused

Action = Callable[["admin.ModelAdmin[Any]", HttpRequest, QuerySet[Any]], None]
Rows = Callable[[QuerySet[Any]], QuerySet[Any]]
LONGEST = 20.0  # seconds of a request; a proxy waits for a minute, and "select all" may mean thousands of rows
STOPPED = "It takes long, so it was stopped. Left as they were: {}, from “{}” on. Narrow the list down to those."


def row_action(
    description: str,
    verb: Callable[..., Any],
    *,
    of: Rows = QuerySet.all,
    permission: str = "correct",
    **options: object,
) -> Action:
    """Return an action that calls the verb for each of the chosen rows that `of` keeps.

    It says how many it did, and where it stopped for the time; what can't be done is told, not raised.
    """

    @admin.action(description=description, permissions=[permission])
    def act(model_admin: admin.ModelAdmin[Any], request: HttpRequest, rows: QuerySet[Any]) -> None:
        done, now, stop = 0, timezone.now(), time.monotonic() + LONGEST
        chosen = list(of(rows))
        for at, row in enumerate(chosen):
            if time.monotonic() > stop:
                model_admin.message_user(request, STOPPED.format(f"{len(chosen) - at:,}", row), messages.WARNING)
                break
            try:
                verb(row, **options, actor=actor(request), now=now)
            except (Conflict, Refused) as error:
                model_admin.message_user(request, f"{row}: {error}", messages.WARNING)
            else:
                done += 1
        model_admin.message_user(request, f"Done: {done}.")

    return act


def count_action(description: str, verb: Callable[..., int], *, permission: str = "correct") -> Action:
    """Return an action that calls the verb once with all chosen rows, and says how many it did."""

    @admin.action(description=description, permissions=[permission])
    def act(model_admin: admin.ModelAdmin[Any], request: HttpRequest, rows: QuerySet[Any]) -> None:
        done = verb(rows, actor=actor(request), now=timezone.now())
        model_admin.message_user(request, f"Done: {done}.")

    return act


def by_guild(rows: QuerySet[Any]) -> Iterator[tuple[Guild, list[Any]]]:
    """Yield the guilds of the rows, each with its rows."""
    for guild, some in groupby(rows.select_related("guild").order_by("guild"), key=lambda row: row.guild):
        yield guild, list(some)
