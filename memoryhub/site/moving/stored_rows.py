"""What is moved: which tables, in which order, and the sum by which both databases are compared."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from graphlib import TopologicalSorter
from hashlib import blake2b
from typing import Any

from django.apps import apps
from django.db.models import Field, Model

Row = tuple[Any, ...]
AT_ONCE = 2_000  # rows read, sent and written in one go
SUM = 16  # bytes of the sum of one row


@cache
def models() -> tuple[type[Model], ...]:
    """Return every model with a table, each after all that its rows may link to; always in the same order.

    Also after those that a row can do without: a constraint may want one of its links to be there, whichever it is.
    """
    stored = [
        each for each in apps.get_models(include_auto_created=True) if each._meta.managed and not each._meta.proxy
    ]
    needed = {model: [other for _, other in _links(model) if other is not model] for model in stored}
    return tuple(TopologicalSorter(needed).static_order())


def named(label: str) -> type[Model]:
    """Return the model of a label, such as `notes.message`."""
    return next(model for model in models() if model._meta.label_lower == label)


def fields(model: type[Model]) -> list[Field[Any, Any]]:
    """Return what a row holds, in the order in which it is sent."""
    return [field for field in model._meta.local_concrete_fields if not field.generated]


def names(model: type[Model]) -> list[str]:
    """Return the names of a row's values; a link is an id."""
    return [field.attname for field in fields(model)]


def late_links(model: type[Model]) -> list[str]:
    """Return the links to rows of the same table, which may come later: they are set when all rows are there."""
    return [field.attname for field, other in _links(model) if other is model]


def _links(model: type[Model]) -> list[tuple[Field[Any, Any], type[Model]]]:
    return [(field, field.related_model) for field in fields(model) if isinstance(field.related_model, type)]


def clean(value: Any) -> Any:
    """Return a value without the zero characters that SQLite keeps in a text and PostgreSQL does not."""
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, dict):
        return {clean(key): clean(each) for key, each in value.items()}
    if isinstance(value, list):
        return [clean(each) for each in value]
    return value


def add_up(rows: Iterable[Row]) -> tuple[int, str]:
    """Return how many rows there are, and a sum of what they hold, whatever their order is."""
    count = total = 0
    for row in rows:
        text = json.dumps([_comparable(clean(value)) for value in row], sort_keys=True)
        total += int.from_bytes(blake2b(text.encode(), digest_size=SUM).digest(), "big")
        count += 1
    return count, f"{total % (1 << 8 * SUM):x}"


def _comparable(value: Any) -> Any:
    """Return a value as text that does not depend on how a database keeps it."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat() if value.tzinfo else value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return int(value)  # a number in JSON comes back without its ".0" from one of the databases
    if isinstance(value, dict):
        return {key: _comparable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_comparable(each) for each in value]
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return value if isinstance(value, str | int | float | None) else str(value)
