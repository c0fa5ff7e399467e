"""Django's cache in the database, for notes that nobody waits for: a database that is busy or away has none."""

from __future__ import annotations

from typing import Any

from django.core.cache.backends.db import DatabaseCache
from django.db import Error

from memoryhub.db.open_connection import wait_at_most
from memoryhub.db.replica import on_primary

WAITS = 200  # milliseconds for another writer


class NoteCache(DatabaseCache):
    """What all processes on all hosts see, where there is no Redis."""

    def get_many(self, keys: Any, version: int | None = None) -> dict[Any, Any]:
        """Return what is kept; `get` asks here, too."""
        try:
            with on_primary():
                return dict(super().get_many(keys, version))
        except Error:
            return {}

    def _base_set(self, *args: Any, **kwargs: Any) -> bool:
        """Keep it; False where it was there already and is to be added, or where it could not be kept."""
        try:
            with on_primary(), wait_at_most(WAITS):
                return bool(super()._base_set(*args, **kwargs))  # type: ignore[misc]
        except Error:
            return False

    def _base_delete_many(self, keys: Any) -> bool:
        try:
            with on_primary(), wait_at_most(WAITS):
                return bool(super()._base_delete_many(keys))  # type: ignore[misc]
        except Error:
            return False
