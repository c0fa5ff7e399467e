"""Shows the product on a fresh machine: loads the sample community, digests it, and tells what it learned."""

from __future__ import annotations

from typing import Any

from django.core.management import BaseCommand, CommandParser, call_command
from django.utils import timezone

from memory import pipeline
from memory.context import builder
from memory.importing.take_in import SAMPLE
from memory.importing.take_in import SAMPLE_GUILD as GUILD
from memory.management.database import migrate
from memory.models import Fact
from memoryhub.community.identity import find_guild
from memoryhub.community.models import Channel, Guild, Member

QUESTION = "Where does Alice live now, and what does she do?"


class Command(BaseCommand):
    """`manage.py demo`, what `make demo` calls."""

    help = "Load the sample community, digest it, print what was learned, and start the dashboard."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take --no-serve."""
        parser.add_argument("--no-serve", action="store_true", help="Stop before the dashboard starts.")

    def handle(self, *_: Any, **options: Any) -> None:
        """Run the story from the first message to the answer."""
        migrate()
        self.stdout.write("1. A community's messages come in")
        call_command("import_messages", str(SAMPLE), stdout=self.stdout)
        self.stdout.write("\n2. They become memory, by the embedded rules: no key, no network")
        call_command("digest", guild=GUILD, stdout=self.stdout)
        guild = find_guild(GUILD)
        pipeline.consolidate_due(now=timezone.now())
        # The nights of the sample's own days lie too far back to be caught up.
        for day in list(guild.notes.order_by("note_date").values_list("note_date", flat=True).distinct()):
            pipeline.consolidate(guild, day=day, now=timezone.now())
        self.stdout.write("\n3. What it learned that the whole guild could read (the dashboard has all of it)")
        self._print_facts(guild)
        channel = Channel.objects.of(guild).filter(audience=Channel.Audience.GUILD).order_by("pk").first()
        turn = builder.Turn(
            guild=guild, channel=channel, members=list(Member.objects.of(guild).filter(display_name="Alice")),
            mentioned=[], text=QUESTION, max_tokens=1200, format="xml", now=timezone.now(),
        )  # fmt: skip
        self.stdout.write(f"\n4. Someone asks in {channel}: “{QUESTION}”. A bot is handed:\n")
        self.stdout.write(builder.build(turn).text)
        if options["no_serve"]:
            self.stdout.write("\nLook around with `make run`.")
            return
        self.stdout.write("\n5. The dashboard\n")
        call_command("run", stdout=self.stdout)

    def _print_facts(self, guild: Guild) -> None:
        facts = Fact.objects.of(guild).active().heard_in(None).filter(subject__isnull=False)
        for member in Member.objects.of(guild).filter(is_bot=False):
            for fact in facts.filter(subject=member).order_by("-confidence", "-said_at")[:4]:
                row = fact.evidence.select_related("message").first()
                source = f"  [{row.message.platform_id}: “{row.quote}”]" if row and row.message else ""
                self.stdout.write(f"   {member}: {fact.text}{source}")
