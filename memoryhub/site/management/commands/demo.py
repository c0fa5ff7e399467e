"""Shows the product on a fresh machine: loads the sample community, digests it, and tells what it learned."""

from __future__ import annotations

import os
from typing import Any

from django.core.management import BaseCommand, CommandParser, call_command
from django.utils import timezone

from memory import pipeline
from memory.context import builder
from memory.context.turn import Context
from memory.importing.take_in import SAMPLE
from memory.importing.take_in import SAMPLE_GUILD as GUILD
from memory.management.database import migrate
from memory.models import Fact
from memoryhub.community.identity import find_guild
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.site.management.commands import run

QUESTION = "Where does Alice live now, and what does she do?"
EXTRACT = 14  # lines of the context that are printed
FACTS = 2  # a member


class Command(BaseCommand):
    """`manage.py demo`, what `make demo` calls."""

    help = "Load the sample community, make memory of it, print what was learned, and start the dashboard."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take --no-serve."""
        parser.add_argument("--no-serve", action="store_true", help="Stop before the dashboard starts.")

    def handle(self, *_: Any, **options: Any) -> None:
        """Run the story from the first message to the answer; what keeps a hub from starting is told before it."""
        if not options["no_serve"]:
            os.close(run.take_place())
        migrate()
        known = Guild.objects.filter(key=GUILD).exists()
        self.stdout.write("1. A community's messages come in" + " (they did before: nothing is stored twice)" * known)
        call_command("import_messages", str(SAMPLE), stdout=self.stdout)
        guild = find_guild(GUILD)
        if guild.buffers.exclude(status="done").exists():
            self.stdout.write("\n2. They become memory, by the embedded rules: no key, no network")
            call_command("digest", guild=GUILD, stdout=self.stdout)
        else:
            self.stdout.write("\n2. They have become memory already")
        pipeline.consolidate_due(now=timezone.now())
        # The nights of the sample's own days lie too far back to be caught up.
        for day in list(guild.notes.order_by("note_date").values_list("note_date", flat=True).distinct()):
            pipeline.consolidate(guild, day=day, now=timezone.now())
        self.stdout.write("\n3. Some of what is known now, with the words it rests on (the dashboard has all of it)")
        self._print_facts(guild)
        channel = Channel.objects.of(guild).filter(audience=Channel.Audience.GUILD).order_by("pk").first()
        turn = builder.Turn(
            guild=guild, channel=channel, members=list(Member.objects.of(guild).filter(display_name="Alice")),
            mentioned=[], text=QUESTION, max_tokens=1200, format="xml", now=timezone.now(),
        )  # fmt: skip
        self.stdout.write(f"\n4. Someone asks in {channel}: “{QUESTION}” A bot is handed, to begin with:\n")
        self._print_extract(builder.build(turn), turn)
        if options["no_serve"]:
            self.stdout.write("\nLook around with `make run`.")
            return
        self.stdout.write("\n5. The dashboard")
        call_command("run", stdout=self.stdout)

    def _print_extract(self, context: Context, turn: builder.Turn) -> None:
        lines = context.text.splitlines()
        for line in lines[:EXTRACT]:
            self.stdout.write(f"   {line}")
        self.stdout.write(
            f"   ... and {max(len(lines) - EXTRACT, 0)} lines more, {context.tokens:,} tokens in all. Whole: "
            f'.venv/bin/python manage.py context "{QUESTION}" --guild {GUILD} --member {turn.members[0].platform_id} '
            f"--max-tokens {turn.max_tokens}" + (f" --channel {turn.channel.platform_id}" if turn.channel else "")
        )

    def _print_facts(self, guild: Guild) -> None:
        facts = Fact.objects.of(guild).active().heard_in(None).filter(subject__isnull=False)
        for member in Member.objects.of(guild).filter(is_bot=False):
            for fact in facts.filter(subject=member).order_by("-confidence", "-said_at")[:FACTS]:
                row = fact.evidence.select_related("message").first()
                source = f"  [{row.message.platform_id}: “{row.quote}”]" if row and row.message else ""
                self.stdout.write(f"   {member}: {fact.text}{source}")
