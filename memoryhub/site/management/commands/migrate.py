"""Django's `migrate`, but a server that the hub can't run on is refused before anything is made in it."""

from __future__ import annotations

from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS

from memoryhub import db


class Command(migrate.Command):
    """Bring the tables up to this release, one host at a time; an empty PostgreSQL gets all of them, or none."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Look at the server first; raises CommandError."""
        if options["database"] != DEFAULT_DB_ALIAS:
            super().handle(*args, **options)
            return
        if reason := db.why_unusable():
            raise CommandError(f"{reason} Nothing was changed.")
        with db.migrating():
            super().handle(*args, **options)
