"""`manage.py parked`: what was given up after five attempts, and with --replay its way back."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from memory.curation.parked import list_parked, replay
from memory.management.arguments import guild_of
from memory.management.database import require_database
from memory.management.tables import as_table
from memory.records.sentences import count
from memoryhub.community.models import Guild

COLUMNS = ("guild", "what", "id", "channel", "messages", "parked at", "reason")


class Command(BaseCommand):
    """Show what is parked, or have it tried again."""

    help = "Show what failed five times and needs attention; --replay has the worker try it again."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the guild and whether to replay."""
        parser.add_argument("--guild", metavar="KEY", help="one guild only")
        parser.add_argument("--replay", action="store_true", help="try all of them again")

    def handle(self, *, guild: str | None, **options: Any) -> None:
        """Show or replay."""
        require_database()
        guilds = [guild_of(guild)] if guild else list(Guild.objects.all())
        if options["replay"]:
            replays = [(each, replay(each, actor="command:parked", now=timezone.now())) for each in guilds]
            for each, done in replays:
                if done.messages or done.buffers or guild:
                    told = f"{count(done.messages, 'message')} and {count(done.buffers, 'conversation')}"
                    self.stdout.write(f"{each.key}: to be tried again: {told}.")
            if not any(done.messages or done.buffers for _, done in replays) and not guild:
                self.stdout.write("Nothing is parked.")
            return
        found = list_parked(guilds)
        rows = [_row(m.guild, "message", m.platform_id, m, 1) for m in found.messages]
        rows += [_row(b.guild, "conversation", str(b.pk), b, b.message_count) for b in found.buffers]
        if rows:
            self.stdout.write(as_table(COLUMNS, rows))
        told = f"{count(found.message_count, 'message')}, {count(found.buffer_count, 'conversation')}"
        self.stdout.write(f"Parked: {told}.")


def _row(guild: Guild, what: str, name: str, row: Any, messages: int) -> list[object]:
    since = f"{row.parked_at:%Y-%m-%d %H:%M}" if row.parked_at else ""
    return [guild.key, what, name, row.channel, messages, since, row.last_error]
