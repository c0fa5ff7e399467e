"""Prints a link that signs somebody in once: the way in when the password is lost, or the sign-in closed."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from memory.management.database import require_database
from memoryhub.server.first_start import NAME
from memoryhub.site import login


class Command(BaseCommand):
    """`manage.py sign_in [NAME]`."""

    help = (
        "Print a link that signs somebody in without their password: once, within ten minutes. Its address is "
        "MEMORYHUB_BIND's, or the first of CSRF_TRUSTED_ORIGINS: run it with the settings that the hub runs with."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the name."""
        parser.add_argument("name", nargs="?", default=NAME, help="who is to be signed in")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the link; raises CommandError for a name that may not sign in."""
        require_database()
        user = User.objects.filter(username=options["name"], is_active=True).first()
        if user is None:
            if not User.objects.exists():
                raise CommandError("Nobody may sign in yet. The first `manage.py run` makes the operator.")
            raise CommandError(f"Nobody called {options['name']!r} may sign in. The page People lists who may.")
        root = next(iter(settings.CSRF_TRUSTED_ORIGINS), f"http://{settings.MEMORYHUB_BIND}").rstrip("/")
        self.stdout.write(f"{root}{reverse('sign-in-link')}?token={login.link_token(user)}")
