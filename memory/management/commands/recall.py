"""`manage.py recall "question" --guild KEY`: ranked memories with their scores and sources."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from memory.management.arguments import AS_OF, channel_of, guild_of, members_of, number_from, parse_moment, parse_words
from memory.management.database import require_tables
from memory.management.tables import as_table
from memory.recall import ranking
from memory.recall.results import Memory
from memory.recall.retrieval import KINDS
from memory.recall.search import DEFAULT_LIMIT, MOST, recall

SOURCES = 3  # named in the table; --json has all


class Command(BaseCommand):
    """Ask memory a question."""

    requires_system_checks = ()  # they import every page; a question to memory needs none of them
    help = "Ask a guild's memory a question; without --channel only what the whole guild may know is told."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the question and from where it is asked."""
        parser.add_argument("question", type=parse_words, help="in quotes")
        parser.add_argument("--guild", required=True, metavar="KEY", help="for example discord:1234")
        parser.add_argument("--member", metavar="ID", help="only about this member")
        parser.add_argument("--channel", metavar="ID", help="as if asked in this channel")
        parser.add_argument(
            "--limit", type=number_from(1, MOST), default=DEFAULT_LIMIT, metavar="N", help=f"1 to {MOST}"
        )
        parser.add_argument("--kind", default=",".join(KINDS), help="fact, note, message; several with commas")
        parser.add_argument("--strict", action="store_true", help="nothing rather than something weak")
        parser.add_argument("--preset", choices=list(ranking.PRESETS), default=ranking.DEFAULT, help="how to rank")
        parser.add_argument("--as-of", type=parse_moment, metavar="TIME", help=AS_OF)
        parser.add_argument("--explain", action="store_true", help="show the parts of each score and the gate passed")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *, question: str, **options: Any) -> None:
        """Ask and print."""
        require_tables()
        guild = guild_of(options["guild"])
        members = members_of(guild, [options["member"]] if options["member"] else [])
        kinds = [kind.strip() for kind in options["kind"].split(",") if kind.strip()]
        if not kinds or set(kinds) - set(KINDS):
            raise CommandError(
                f"--kind is {options['kind']!r}; write one or several of {', '.join(KINDS)}, with commas."
            )
        found = recall(
            guild, question=question, now=timezone.now(), channel=channel_of(guild, options["channel"]),
            member=members[0] if members else None, limit=options["limit"], kinds=kinds,
            strict=options["strict"], preset=options["preset"], as_of=options["as_of"],
        )  # fmt: skip
        if options["json"]:
            self.stdout.write(json.dumps([asdict(each) for each in found], cls=DjangoJSONEncoder, ensure_ascii=False))
        elif not found:
            self.stdout.write("Nothing found.")
        else:
            self.stdout.write(_table(found, explain=options["explain"]))


def _table(memories: Sequence[Memory], *, explain: bool) -> str:
    columns = ["score", "kind", "member", "text", "sources"] + (["gate", "parts"] if explain else [])
    rows = []
    for memory in memories:
        ids = [source.message_id for source in memory.sources if source.message_id]
        sources = ", ".join(ids[:SOURCES]) + (f" +{len(ids) - SOURCES}" if len(ids) > SOURCES else "")
        row = [f"{memory.score:.3f}", memory.kind, memory.member or "", memory.text, sources]
        if explain:
            parts = "\n".join(f"{name} {value:.2f}" for name, value in memory.scores.items() if value)
            row += [memory.gate or "none", parts]
        rows.append(row)
    return as_table(columns, rows)
