"""`manage.py restore FILE`: puts a backup in the place of the database, in one step."""

from __future__ import annotations

import os
import pwd
from pathlib import Path
from stat import S_ISREG
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, OperationalError
from django.utils import timezone

from memory.curation import guild_settings
from memory.erasure import LOST_KEY, signed_with_another_key
from memory.management.database import migrate, unknown_to_this_release
from memoryhub.community import consent
from memoryhub.community.identity import CommunityCache, Person, ensure_guild
from memoryhub.community.models import Guild, Member
from memoryhub.db.backups import Damaged, InUse, NoBackup, ToolMissing, backups
from memoryhub.db.trouble import explain, is_full
from profiles import consent_effects

ACTOR = "command:restore"
COLUMNS = "digest, erased_at, remember, place, names"
REFUSED = (
    "{path} cannot be {used} by the user {user}: {why}. Let that user do so, and enter the folders above it "
    "(chown, chmod), then restore again. The database is as it was."
)


class Command(BaseCommand):
    """Put a backup back."""

    help = "Put a backup in the place of the database, and keep the old one beside it. Stop the hub first."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the backup."""
        parser.add_argument("file", type=Path, metavar="FILE", help="what `manage.py backup` wrote")

    def handle(self, *, file: Path, **_: Any) -> None:
        """Check the backup, put it in place, bring its tables up to this release."""
        _require_readable(file)
        if newer := unknown_to_this_release(backups().migrations_of(file)):
            raise CommandError(
                f"{file} was made by a newer release of memoryhub, whose tables this one does not know "
                f"({', '.join(newer)}), so nothing was changed. Install that release, then restore."
            )
        noes = _said_no()
        try:
            done = backups().restore_from(
                file, now=timezone.now(), stones="community_tombstone", columns=COLUMNS, known_by="notes_message"
            )
        except NoBackup:
            raise CommandError(f"{file} is no backup of memoryhub, so nothing was changed.") from None
        except (Damaged, InUse, ToolMissing) as error:
            raise CommandError(f"{str(error).rstrip('.')}.") from error
        except OperationalError as error:
            raise CommandError(f"{explain(error)} Nothing was changed.") from error
        except OSError as error:
            if is_full(error):
                raise  # the command line has words for that
            raise CommandError(_refused(error, file, used="read or written")) from error
        again = migrate()
        self.stdout.write(f"Restored: {done.place}." + (f" The old one is kept as {done.kept}." if done.kept else ""))
        self.stdout.write(f"Members who were erased after the backup was made, and now again: {again}.")
        if noes is None:
            told = "Who said no since, or was blocked, is remembered as before, as the old database can't be read. "
        else:
            told = f"Who said no since, or was blocked, and does so still: {_say_no_again(noes)}. "
        self.stdout.write(
            f"{told}What else was taken away since is in it again: messages deleted, facts and lines forgotten, "
            "channels closed, guilds purged. Do it once more."
        )
        if signed_with_another_key():
            self.stderr.write(LOST_KEY)


def _said_no() -> list[tuple[str, str, str]] | None:
    """Return who said no, or was blocked, in the database that is used: guild's key, account, and to what.

    None where there is none, or it can't be read.
    """
    if not backups().is_there():
        return None
    try:
        rows = Member.objects.filter(remember=False).values_list("guild__key", "platform_id")
        noes = [(key, account, "remember") for key, account in rows]
        rows = Member.objects.filter(findable=False).values_list("guild__key", "platform_id")
        noes += [(key, account, "findable") for key, account in rows]
        lists = Guild.objects.exclude(blocked=[]).values_list("key", "blocked")
        return noes + [(key, account, "blocked") for key, accounts in lists for account in accounts]
    except DatabaseError:
        return None


def _say_no_again(noes: list[tuple[str, str, str]]) -> int:
    """Record each no that the restored database does not know; return how many. Killed, it is not gone on with."""
    now, known = timezone.now(), set(_said_no() or ())
    for key, account, what in (new := [no for no in noes if no not in known]):
        guild = ensure_guild(key=key)
        if what == "blocked":
            guild_settings.block(guild, platform_id=account, blocked=True, actor=ACTOR, now=now)
            continue
        cache = CommunityCache(guild, move=None)
        cache.load(channels=[], members=[account])
        member = cache.member(Person(id=account), seen_at=now)
        if what == "remember":
            consent_effects.choose(member, remember=False, actor=ACTOR, now=now)
        else:
            consent.let_be_found(member, findable=False, actor=ACTOR, now=now)
    return len(new)


def _require_readable(file: Path) -> None:
    """Raise CommandError for what is no file, or none for this user: who reads it later would call it damaged."""
    try:
        if not S_ISREG(file.stat().st_mode):
            raise CommandError(f"There is no file {file}.")
        file.open("rb").close()
    except (FileNotFoundError, NotADirectoryError):
        raise CommandError(f"There is no file {file}.") from None
    except OSError as error:
        raise CommandError(_refused(error, file, used="read")) from error


def _refused(error: OSError, file: Path, *, used: str) -> str:
    return REFUSED.format(path=error.filename or file, used=used, user=_this_user(), why=error.strerror)


def _this_user() -> str:
    """Return the name under which this process reads files, or its number: in a container it may have no name."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
