"""`manage.py import_messages`: take in what files hold; run again, it takes in what is not there yet."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError
from django.utils import timezone
from pydantic import ValidationError

from memory.importing import ImportCounts, Importer, Unreadable, open_export, read
from memory.importing.schemas import printable
from memory.management.database import require_database
from memory.management.digest_all import GO_ON, INTERRUPTED, as_text, digest_all, embed_all, interruptible
from memory.management.progress import file_bar
from memory.management.tables import as_table
from memoryhub.community.identity import find_guild
from memoryhub.db.trouble import explain
from notes.messages.schemas import GuildRef

BUSIEST = 30  # authors shown of a dry run


class Command(BaseCommand):
    """Import messages."""

    help = (
        "Import exports of Discord, Slack, Telegram, WhatsApp, Matrix and Mattermost, an mbox, or one JSON message a "
        "line; see docs/importing.md. "
        "Messages that are stored already are left as they are."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the files and where to put what they hold."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="a file, a folder, a zip, or - for standard input")
        parser.add_argument("--guild", metavar="KEY", default="", help="put all in this guild, whatever the files say")
        parser.add_argument("--time-zone", metavar="ZONE", default="UTC",
                            help="of times that name none (WhatsApp, old Telegram exports): Europe/Berlin")  # fmt: skip
        parser.add_argument("--private", action="store_true", help="where a file does not say, only a channel's own "
                            "readers may recall what was said there")  # fmt: skip
        parser.add_argument(
            "--dry-run", action="store_true", help="store nothing, count by author, month, people, channels, days"
        )
        parser.add_argument("--digest", action="store_true", help="digest the guilds of the files afterwards")

    def handle(
        self, *, files: list[str], guild: str = "", private: bool = False, dry_run: bool = False, digest: bool = False,
        time_zone: str = "UTC", **options: Any,
    ) -> None:  # fmt: skip
        """Import file by file, print the counts; exit 1 if one could not be read to its end."""
        try:
            _ = guild and GuildRef(key=guild)
        except ValidationError as error:
            raise CommandError(f"--guild {guild}: a guild's key is platform:id, for example discord:1234.") from error
        try:
            zone = ZoneInfo(time_zone)
        except (LookupError, ValueError, OSError) as error:
            raise CommandError(f"--time-zone {time_zone}: there is no such zone; write Europe/Berlin.") from error
        require_database()
        importer = Importer(timezone.now(), dry_run=dry_run, private=private)
        try:
            unread = [path for path in files if not self._import(path, importer, guild, zone)]
        except KeyboardInterrupt:
            self._print(importer.tally, dry_run=dry_run)
            raise CommandError(f"Interrupted. What is stored stays. {GO_ON}", returncode=INTERRUPTED) from None
        except OperationalError as error:
            self._print(importer.tally, dry_run=dry_run)
            raise CommandError(f"{explain(error)} {GO_ON}") from error
        if len(unread) == len(files) and importer.tally == ImportCounts():
            raise CommandError("Nothing was read, and nothing stored.")
        self._print(importer.tally, dry_run=dry_run)
        if digest and not dry_run:
            with interruptible():
                for key in importer.tally.guilds:
                    self.stdout.write(f"{key}:")
                    self.stdout.write(as_text(digest_all(find_guild(key), now=timezone.now())))
                embed_all(self.stderr)
        if unread:
            raise CommandError(f"{len(unread)} of {len(files)} files could not be read to the end.")

    def _import(self, path: str, importer: Importer, guild: str, zone: ZoneInfo) -> bool:
        """Import one file as far as it can be read; False if that is not its end."""
        name, why = "standard input" if path == "-" else path, ""
        try:
            with open_export(path) as source, file_bar(source.name, source.size) as tell:
                for number, item in enumerate(read(source, guild=guild, zone=zone), 1):
                    importer.take(item, file=name)
                    tell(source.position, number)
                kind = source.kind
            self.stdout.write(f"{name}: {kind}")
        except Unreadable as error:
            why = str(error)
        except OSError as error:
            why = f"could not be read further: {error.strerror}."
        importer.flush()
        if why:
            self.stderr.write(f"{name} {why}")
        return not why

    def _print(self, tally: ImportCounts, *, dry_run: bool) -> None:
        if dry_run:
            busiest = [(printable(name), count) for name, count in tally.authors.most_common(BUSIEST)]
            if others := len(tally.authors) - len(busiest):
                busiest.append((f"{others} others", tally.authors.total() - sum(count for _, count in busiest)))
            if busiest:
                self.stdout.write(as_table(("author", "messages"), busiest))
                self.stdout.write(as_table(("month", "messages"), sorted(tally.months.items())))
            people, channels, days = len(tally.people), len(tally.channels), len(tally.days)
            self.stdout.write(f"people: {people}, channels: {channels}, days: {days}")
            self.stdout.write("Dry run: nothing was stored. This is what would be:")
        reasons = ", ".join(f"{reason} {count}" for reason, count in tally.ignored.most_common())
        self.stdout.write(f"stored: {tally.stored}")
        self.stdout.write(f"duplicate: {tally.duplicate}")
        self.stdout.write(f"ignored: {tally.ignored.total()}" + (f" ({reasons})" if reasons else ""))
        self.stdout.write(f"refused: {tally.refused}")
        for where in tally.refused_at:
            self.stdout.write(f"  {where}")
        if more := tally.refused - len(tally.refused_at):
            self.stdout.write(f"  and {more} more")
