"""`manage.py restore FILE`: puts a backup in the place of the database, in one step."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.utils import timezone

from memory import erasure
from memory.management.database import migrate
from memoryhub.community import tombstones
from memoryhub.community.models import Member
from memoryhub.db import backups
from memoryhub.db.file_trouble import explain
from memoryhub.db.sqlitevec.driver import Database

Stone = tuple[Any, ...]
COLUMNS = "digest, erased_at, remember, place, names"


class Command(BaseCommand):
    """Put a backup back."""

    help = "Put a backup in the place of the database, and keep the old one beside it. Stop the hub first."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the backup."""
        parser.add_argument("file", type=Path, metavar="FILE", help="what `manage.py backup` wrote")

    def handle(self, *, file: Path, **_: Any) -> None:
        """Check the backup, put it in place, bring its tables up to this release."""
        database = Path(connection.settings_dict["NAME"])
        if not file.is_file():
            raise CommandError(f"There is no file {file}.")
        try:
            if found := backups.trouble(file):
                raise CommandError(f"{file} is damaged, so nothing was changed: {found}.")
            with closing(Database.connect(file)) as backup:
                if not backup.execute("SELECT 1 FROM sqlite_master WHERE name = 'notes_message'").fetchone():
                    raise CommandError(f"{file} is no backup of memoryhub, so nothing was changed.")
            connection.close()
            erased = _erased(database, since=_erased(file))
            keep = partial(_keep, erased)
            kept = backups.restore(file, database, now=timezone.now(), prepare=keep)
        except backups.InUse:
            raise CommandError("The hub is running. Stop it first (Ctrl-C, or its service), then restore.") from None
        except Database.OperationalError as error:
            raise CommandError(f"{explain(error)} Nothing was changed.") from error
        migrate()
        self.stdout.write(f"Restored: {database}." + (f" The old one is kept as {kept}." if kept else ""))
        again = _erase_again(erased)
        self.stdout.write(f"Members who were erased after the backup was made, and now again: {again}.")
        self.stdout.write("Channels and guilds that were are in it: erase them once more.")


def _erased(path: Path, since: dict[str, Stone] | None = None) -> dict[str, Stone]:
    """Return who was erased, by digest, as a database file says it; nobody if it can't be read.

    `since` leaves out the erasures that another file has, too.
    """
    if not path.exists():
        return {}
    try:
        with closing(Database.connect(path)) as database:
            rows = database.execute(f"SELECT {COLUMNS} FROM community_tombstone")  # noqa: S608
            return {row[0]: row for row in rows if not since or row[0] not in since or since[row[0]][1] < row[1]}
    except Database.Error:
        return {}


def _keep(erased: dict[str, Stone], copy: Database.Connection) -> None:
    """Write the tombstones into the copy: a restore that is killed after it can be run again."""
    keep = f"INSERT OR REPLACE INTO community_tombstone ({COLUMNS}) VALUES (?, ?, ?, ?, ?)"  # noqa: S608
    copy.executemany(keep, list(erased.values()))


def _erase_again(erased: dict[str, Stone]) -> int:
    """Erase the members that the tombstones stand for: what they asked for outlives a restore."""
    rows = Member.objects.select_related("guild") if erased else Member.objects.none()
    back = [member for member in rows if tombstones.digest(member.guild, member.platform_id) in erased]
    for member in back:
        erasure.erase_now(member, now=timezone.now(), by="command:restore")
    return len(back)
