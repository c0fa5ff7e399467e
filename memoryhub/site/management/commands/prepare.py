"""Makes ready what several processes or hosts share: the tables of this release, and the first administrator."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from memory.management.database import migrate, wait_for_server
from memoryhub.db.backups import backups
from memoryhub.server import first_start


class Command(BaseCommand):
    """`manage.py prepare`: what `run` does before it starts anything, for those who start the parts themselves."""

    requires_system_checks = ()  # they ask the database, which may have been started at the same time
    help = "Migrate, and make the administrator if there is none; run it once before web, worker and bot start."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Do both; print the password once where none is set."""
        wait_for_server()
        self.check()
        backups().clear_unfinished()
        migrate()
        if password := first_start.ensure_admin():
            self.stdout.write(f"Sign in as {first_start.NAME} with the password {password} (shown only now).")
        self.stdout.write("The database is ready.")
