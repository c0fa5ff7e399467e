"""`manage.py import_memories FILE --from mem0,langgraph`: take over the memories of another system, each once."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, transaction
from django.utils import timezone
from pydantic import ValidationError

from memory.importing import Unreadable
from memory.importing.foreign_memories import READERS, SHOWN, Taking
from memory.importing.schemas import printable
from memory.management.database import require_database
from memory.management.digest_all import GO_ON, INTERRUPTED
from memory.management.progress import bars
from memory.models import Fact
from memoryhub import db
from memoryhub.community.identity import ensure_guild
from memoryhub.community.models import Guild
from memoryhub.db.trouble import explain
from notes.messages.schemas import GuildRef
from notes.models import Message

COUNTED = ("stored", "known", "duplicate", "refused")


class Command(BaseCommand):
    """Import memories."""

    help = "Take over the memories of mem0 (its JSON export) or of a LangGraph store in SQLite; see docs/importing.md."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file, what it is of, and where to put what it holds."""
        parser.add_argument("file", metavar="FILE", help="what the other system wrote")
        parser.add_argument(
            "--from", required=True, choices=sorted(READERS), dest="system", help="whose memories it holds"
        )
        parser.add_argument(
            "--guild",
            metavar="KEY",
            default="",
            help="the guild that takes them; made if it is new; needed where there are several",
        )
        parser.add_argument("--dry-run", action="store_true", help="store nothing, count")
        parser.add_argument(
            "--insist", action="store_true", help="take also what reads like an order, code or a question"
        )

    def handle(
        self, *, file: str, system: str, guild: str = "", dry_run: bool = False, insist: bool = False, **_: Any
    ) -> None:
        """Import, and print what became of the memories; exit 1 if the file could not be read."""
        require_database()
        place, is_new = self._guild(guild)
        taking = Taking(place, system, timezone.now(), dry_run=dry_run, insist=insist)
        try:
            memories = list(READERS[system](file))
            with bars() as tell:
                for number, memory in enumerate(memories, 1):
                    taking.take(memory)
                    tell("memories", number, len(memories))
        except Unreadable as error:
            raise CommandError(f"{file} {error}") from error
        except OperationalError as error:
            raise CommandError(f"{explain(error)} {GO_ON}") from error
        except KeyboardInterrupt:
            raise CommandError(f"Interrupted. What is stored stays. {GO_ON}", returncode=INTERRUPTED) from None
        finally:
            if is_new and (dry_run or not taking.counts["stored"]):
                _drop_if_empty(place)
        if dry_run:
            self.stdout.write("Dry run: nothing was stored. This is what would be:")
        for name in COUNTED:
            self.stdout.write(f"{name}: {taking.counts[name]}")
        for where in taking.refused_at:
            self.stdout.write(f"  {printable(where)}")
        if (more := taking.counts["refused"] - SHOWN) > 0:
            self.stdout.write(f"  and {more} more")

    def _guild(self, key: str) -> tuple[Guild, bool]:
        """Return the guild, and whether it was made just now."""
        if key:
            is_new = not Guild.objects.filter(key=key).exists()
            try:
                return ensure_guild(key=GuildRef(key=key).key), is_new
            except ValidationError:
                raise CommandError(f"{key!r} is no guild key; write platform:id, for example discord:1234.") from None
        guilds = list(Guild.objects.all()[:2])
        if len(guilds) != 1:
            raise CommandError("Say for which guild: --guild KEY.")
        return guilds[0], False


@transaction.atomic
def _drop_if_empty(guild: Guild) -> None:
    """Delete the guild that was made for nothing, unless somebody has begun to speak in it meanwhile."""
    db.lock_guild(guild.pk)
    if not (Message.objects.of(guild).exists() or Fact.objects.of(guild).exists()):
        guild.delete()
