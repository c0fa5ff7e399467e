"""`manage.py context "message" --guild KEY [--channel ID] [--member ID ...]`: what a bot would be handed, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from pydantic import TypeAdapter, ValidationError

from memory.api.schemas.context import ContextOut, SaidIn
from memory.context import builder
from memory.context.items import Item
from memory.management.arguments import AS_OF, channel_of, guild_of, members_of, number_from, parse_moment
from memory.management.database import require_tables
from memory.management.tables import as_table
from memoryhub.errors import wrong_in_field

SOURCES = 3  # named in the table; --json has all


class Command(BaseCommand):
    """Build the context of a turn."""

    requires_system_checks = ()  # they import every page; a question to memory needs none of them
    help = "Print the context that a bot would be handed before it answers; the parts go to standard error."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the turn."""
        parser.add_argument("message", help="what was said to the bot")
        parser.add_argument("--guild", required=True, metavar="KEY", help="for example discord:1234")
        parser.add_argument("--channel", metavar="ID", help="where; left out: only what everybody there may know")
        parser.add_argument(
            "--member", nargs="+", action="extend", default=[], metavar="ID", help="who is present, the author first"
        )
        parser.add_argument("--mention", nargs="+", action="extend", default=[], metavar="ID", help="who is spoken of")
        parser.add_argument(
            "--max-tokens", type=number_from(1, builder.MOST_TOKENS), default=builder.DEFAULT_TOKENS, metavar="N",
            help=f"1 to {builder.MOST_TOKENS:,}, {builder.DEFAULT_TOKENS:,} unless told",
        )  # fmt: skip
        parser.add_argument("--format", choices=get_args(builder.Format), default="xml", help="xml unless told")
        parser.add_argument("--base", type=Path, metavar="FILE", help="the bot's own system text")
        parser.add_argument(
            "--transcript", type=Path, metavar="FILE", help='instead of the channel\'s: JSON [{"role", "name", "text"}]'
        )
        parser.add_argument(
            "--memory-role",
            choices=get_args(builder.Role),
            default="system",
            help="who says memory in the format messages",
        )
        parser.add_argument(
            "--preset", choices=get_args(builder.Preset), default="default", help="all parts, or a slice of them"
        )
        parser.add_argument("--as-of", type=parse_moment, metavar="TIME", help=AS_OF)
        parser.add_argument("--explain", action="store_true", help="each item with its score, and what was left out")
        parser.add_argument("--json", action="store_true", help="print all of it as JSON, as the API answers")

    def handle(self, *, message: str, **options: Any) -> None:
        """Build and print."""
        require_tables()
        guild = guild_of(options["guild"])
        turn = builder.Turn(
            guild=guild, channel=channel_of(guild, options["channel"]), text=message,
            members=members_of(guild, options["member"]), mentioned=members_of(guild, options["mention"]),
            max_tokens=options["max_tokens"], format=options["format"], now=timezone.now(),
            base=_read(options["base"]) if options["base"] else "", memory_role=options["memory_role"],
            transcript=_read_transcript(options["transcript"]) if options["transcript"] else None,
            preset=options["preset"], operator=options["explain"], as_of=options["as_of"],
        )  # fmt: skip
        built = builder.build(turn)
        if options["json"]:
            self.stdout.write(ContextOut.of(built).model_dump_json(indent=2))
            return
        self.stdout.write(built.text)
        rows = [(part.name, part.priority, len(part.items), part.dropped, part.tokens) for part in built.parts]
        columns = ("part", "priority", "items", "did not fit", "tokens")
        self.stderr.write(as_table(columns, [*rows, ("all", "", "", "", built.tokens)]) + built.notice)
        if options["explain"]:
            self.stderr.write(_explain(built))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise CommandError(f"{path} can't be read: {why}. Give a text file in UTF-8.") from error


def _read_transcript(path: Path) -> list[Item]:
    try:
        return [line.item() for line in TypeAdapter(list[SaidIn]).validate_json(_read(path))]
    except ValidationError as error:
        first = error.errors()[0]
        said = ": ".join(filter(None, (".".join(map(str, first["loc"])), wrong_in_field(first))))
        raise CommandError(f"The transcript is not what the API takes: {said}") from error


def _explain(built: builder.Context) -> str:
    """Return each item with its score and sources, and what was left out and why."""
    used = []
    for part in built.parts:
        for item in part.items:
            scores = [f"{item.score:.3f}", *(f"{name} {value:.2f}" for name, value in item.scores.items() if value)]
            sources = list(dict.fromkeys(source.message_id or f"note {source.note_id}" for source in item.sources))
            more = f" +{len(sources) - SOURCES}" if len(sources) > SOURCES else ""
            shown = ", ".join(sources[:SOURCES]) + more
            used.append((part.name, item.about, item.text, "\n".join(scores), item.tokens, shown))
    left_out = [(each.part, each.item.about, each.item.text, each.why, each.because) for each in built.left_out]
    return "\n".join(
        [
            as_table(("part", "about", "text", "score", "tokens", "sources"), used),
            as_table(("left out of", "about", "text", "why", "because"), left_out),
        ]
    )
