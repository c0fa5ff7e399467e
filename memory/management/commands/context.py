"""`manage.py context "message" --guild KEY --channel ID --member ID`: what a bot would be handed."""

from __future__ import annotations

from typing import Any, get_args

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from memory import context
from memory.management.naming import channel_of, guild_of, members_of
from memory.management.tables import as_table


class Command(BaseCommand):
    """Build the context of a turn."""

    help = "Print the context that a bot would be handed before it answers; the parts go to standard error."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the turn."""
        parser.add_argument("message", help="what was said to the bot")
        parser.add_argument("--guild", required=True, metavar="KEY", help="for example discord:1234")
        parser.add_argument("--channel", required=True, metavar="ID")
        parser.add_argument("--member", required=True, nargs="+", action="extend", metavar="ID", help="who is present")
        parser.add_argument("--mention", nargs="+", action="extend", default=[], metavar="ID", help="who is spoken of")
        parser.add_argument("--max-tokens", type=int, default=context.DEFAULT_TOKENS, metavar="N")
        parser.add_argument("--format", choices=get_args(context.Format), default="xml")

    def handle(self, *, message: str, **options: Any) -> None:
        """Build and print."""
        guild = guild_of(options["guild"])
        turn = context.Turn(
            guild=guild, channel=channel_of(guild, options["channel"]), text=message,
            members=members_of(guild, options["member"]), mentioned=members_of(guild, options["mention"]),
            max_tokens=options["max_tokens"], format=options["format"], now=timezone.now(),
        )  # fmt: skip
        built = context.build(turn)
        self.stdout.write(built.text)
        rows = [(part.name, len(part.items), part.dropped, part.tokens) for part in built.parts]
        self.stderr.write(as_table(("part", "items", "left out", "tokens"), [*rows, ("all", "", "", built.tokens)]))
