"""Make a key for the JSON API and prints it once, as the last word of its output."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from pydantic import ValidationError

from memory.management.database import require_database
from memoryhub.community.identity import ensure_guild
from memoryhub.models import ApiKey, AuditEntry
from memoryhub.site import auth
from notes.messages.schemas import GuildRef

WIDEST_FIRST = list(reversed(ApiKey.Scope.values))
LONGEST_NAME = 100


class Command(BaseCommand):
    """create_api_key NAME [--guild KEY] [--scope read,write,admin]."""

    help = "Make a key for the JSON API. It is printed once: only its digest is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the name, the guild and the scope."""
        parser.add_argument("name", help="what the key is for; changes made with it are signed api:NAME")
        parser.add_argument(
            "--guild", default="", metavar="KEY", help="platform:id; made if it is new; left out: all guilds"
        )
        parser.add_argument(
            "--scope", default=ApiKey.Scope.WRITE, help="read, write or admin; each holds those before it"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Make the key; raises CommandError for a name, a scope or a guild key that can't be, and for a taken name."""
        name = options["name"].strip()
        if not name or len(name) > LONGEST_NAME:
            raise CommandError(f"Give the key a name of 1 to {LONGEST_NAME} characters.")
        scopes = {word.strip().lower() for word in options["scope"].split(",")}
        if not scopes <= set(ApiKey.Scope.values):
            raise CommandError(f"{options['scope']!r} is no scope; write read, write or admin.")
        scope = next(scope for scope in WIDEST_FIRST if scope in scopes)
        require_database()
        guild = None
        if options["guild"]:
            try:
                guild = ensure_guild(key=GuildRef(key=options["guild"]).key)
            except ValidationError:
                raise CommandError(
                    f"{options['guild']!r} is no guild key; write platform:id, for example discord:1234."
                ) from None
        try:
            with transaction.atomic():
                key = auth.issue(name=name, guild=guild, scope=scope)
                AuditEntry.objects.create(
                    actor="command:create_api_key", verb=AuditEntry.Verb.CHANGED, what="add-key",
                    guild_id=guild.pk if guild else None,
                )  # fmt: skip
        except auth.NameTaken as error:
            raise CommandError(str(error)) from None
        if guild is None:
            self.stderr.write("Without --guild KEY it opens all guilds, those to come included.")
        self.stdout.write(f"Key {name!r} for {guild.key if guild else 'all guilds'}, scope {scope}: {key}")
