"""`manage.py forget_member --guild KEY --member ID`: erase a member for good; `--verify RECEIPT` checks a receipt."""

from __future__ import annotations

import math
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from memory import erasure, pipeline
from memory.importing.schemas import printable
from memory.management.arguments import guild_of, unknown_member
from memory.management.database import require_database
from memory.management.digest_all import INTERRUPTED, embed_all
from memory.management.tables import as_table
from memoryhub.community.models import Member

YES = "yes"
UNFINISHED = (
    "Interrupted. What has been erased is gone, and the rest goes too: the same command goes on with it, or the worker "
    "does within a minute."
)


class Command(BaseCommand):
    """Forget a member."""

    help = "Erase a member for good: all they said, all that is known of them. Killed, the same command goes on."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take whom, or a receipt."""
        parser.add_argument("--guild", metavar="KEY", help="for example discord:1234")
        parser.add_argument("--member", metavar="ID", help="the platform's id of the member")
        parser.add_argument("--dry-run", action="store_true", help="only say what would go")
        parser.add_argument(
            "--noinput", "--no-input", action="store_false", dest="interactive",
            help="don't ask first; where input is no terminal, as in a script, nothing is asked anyway",
        )  # fmt: skip
        parser.add_argument("--verify", metavar="RECEIPT", help="say what a receipt says, if it was signed here")

    def handle(
        self, *, guild: str | None, member: str | None, dry_run: bool, verify: str | None, interactive: bool = True,
        **options: Any,
    ) -> None:  # fmt: skip
        """Erase, once that is confirmed, and print the receipt; exit 1 if it is not, or the scan found traces."""
        require_database()
        if verify:
            try:
                receipt = erasure.verify(verify)
            except erasure.ReceiptInvalid as error:
                raise CommandError(str(error)) from error
            self._show(receipt)
        elif guild and member:
            place = guild_of(guild)
            found = Member.objects.of(place).select_related("guild").filter(platform_id=member).first()
            if found and dry_run:
                self.stdout.write(_table(erasure.preview(found)))
                return
            if found and interactive and sys.stdin.isatty():
                self._confirm(found)
            try:
                job = None if dry_run else erasure.request_erasure(
                    place, member=member, now=timezone.now(), by="command:forget_member", seconds=math.inf,
                    progress=self._show_step,
                )  # fmt: skip
                if job is None:
                    raise unknown_member(place, member)
                receipt = erasure.finished(job)
            except KeyboardInterrupt:
                raise CommandError(UNFINISHED, returncode=INTERRUPTED) from None
            except erasure.ErasureRunning as running:
                raise CommandError(str(running)) from running
            self._show(receipt)
            pipeline.digest_closed(place, now=timezone.now())  # writes anew what went with the member's words
            embed_all(self.stderr)
        else:
            raise CommandError("Name whom to forget: --guild KEY --member ID. Or verify a receipt: --verify RECEIPT.")
        if not receipt.clean:
            raise CommandError("The scan found traces. Take them out where they are, then run this again.")

    def _confirm(self, member: Member) -> None:
        """Show what would go, and ask; raises CommandError for anything but a yes."""
        who = printable(f"{member} ({member.platform_id})")
        would = f"{who} of {member.guild.key} would be erased for good: nothing of it comes back."
        try:
            self.stderr.write(f"{_table(erasure.preview(member))}{would}", str)
            self.stderr.write(f"Type '{YES}' to go on, anything else to leave it: ", str, ending="")
            self.stderr.flush()
            answer = input()
        except (EOFError, KeyboardInterrupt):
            answer = ""
            self.stderr.write("")
        if answer.strip().lower() != YES:
            raise CommandError("Nothing was erased.")

    def _show_step(self, step: str) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"{erasure.DOING[step]} ...")

    def _show(self, receipt: erasure.Receipt) -> None:
        scan = receipt.scan
        self.stdout.write(_table(receipt.counts))
        self.stdout.write(f"erased: a {receipt.kind}, {receipt.at:%Y-%m-%d %H:%M} UTC, {receipt.id}")
        self.stdout.write(f"looked through: {scan['tables']} tables, {scan['rows']} rows, {scan['files']} files")
        self.stdout.write(f"named in others' own words: {scan['in_words_of_others']}")
        self.stdout.write(f"traces: {scan['traces']}")
        for place, count in scan["found_in"].items():
            self.stdout.write(f"  {place}: {count}")
        self.stdout.write(f"receipt: {receipt.token}")


def _table(counts: dict[str, int]) -> str:
    return as_table(("what", "how much"), [(name, count) for name, count in counts.items() if count])
