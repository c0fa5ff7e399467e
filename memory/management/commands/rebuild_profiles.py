"""`manage.py rebuild_profiles`: has profiles of a guild, or of one member, written anew from notes and facts."""

from __future__ import annotations

from itertools import count
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from memory.jobs import profile_rebuilds
from memory.management.arguments import guild_of, members_of
from memory.management.database import require_database
from memory.management.progress import bars
from profiles.models import Profile


class Command(BaseCommand):
    """Rebuild profiles in the foreground."""

    help = "Have the careful tier write profiles anew from notes and facts; what persons worded or refused stays so."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the guild, and one member if wanted."""
        parser.add_argument("--guild", metavar="KEY", required=True, help="for example discord:1234")
        parser.add_argument("--member", metavar="ID", help="this member only")

    def handle(self, *, guild: str, member: str | None = None, **options: Any) -> None:
        """Mark, rebuild and tell; exit 1 when some were not to be believed."""
        require_database()
        place = guild_of(guild)
        marked = profile_rebuilds.mark_dirty(place, members=members_of(place, [member]) if member else None)
        begun = count()
        with bars() as advance:

            def tell() -> bool:
                advance("profiles", next(begun), marked)
                return True

            done = profile_rebuilds.rebuild_dirty(now=timezone.now(), limit=marked, guild=place, keep_going=tell)
            advance("profiles", done, marked)
        dirty = Profile.objects.filter(member__guild=place, dirty=True).count()
        self.stdout.write(f"Rebuilt {done} of {marked} profiles.")
        if dirty:
            raise CommandError(
                f"Profiles that could not be rebuilt, and are as they were: {dirty}. The worker tries again; the model "
                "calls and the action log say why."
            )
