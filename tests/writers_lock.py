"""Somebody else who writes to the database, and keeps all other writers waiting until a test has them let go."""

from __future__ import annotations

import threading

from django.apps import apps
from django.db import connection, transaction

from memoryhub import db

LONGEST = 60  # seconds


class WritersLock:
    """Held by a thread with a connection of its own."""

    def __init__(self) -> None:
        self.held, self.over = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._hold)

    def take(self) -> None:
        """Return once no other connection can write."""
        self.thread.start()
        assert self.held.wait(LONGEST)

    def release(self) -> None:
        """Let the others write."""
        self.over.set()
        if self.thread.is_alive():
            self.thread.join()

    def _hold(self) -> None:
        try:
            with transaction.atomic():
                db.keep_writers_out([model._meta.db_table for model in apps.get_models()])
                self.held.set()
                self.over.wait(LONGEST)
        finally:
            connection.close()
