"""`manage.py backup FILE`: a consistent, checked copy of the database, while the hub runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import OperationalError

from memoryhub.db.backups import Damaged, ToolMissing, backups
from memoryhub.db.trouble import explain, is_full


class Command(BaseCommand):
    """Write a copy of the database."""

    help = "Write a consistent copy of the database to a new file, and check it. The hub may go on running."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file."""
        parser.add_argument("file", type=Path, metavar="FILE", help="a file that is not there yet")

    def handle(self, *, file: Path, **_: Any) -> None:
        """Check the database, copy it, check the copy; print where it is."""
        try:
            backups().back_up_to(file)
        except OperationalError as error:
            raise CommandError(explain(error)) from error
        except FileExistsError:
            raise CommandError(f"{file} is there already. Name a new file, for example by its date.") from None
        except ToolMissing as error:
            raise CommandError(f"There is no backup. {error}") from error
        except Damaged as damage:
            raise CommandError(f"There is no backup. {damage}.") from damage
        except OSError as error:
            if is_full(error):
                raise  # the command line has words for that
            if isinstance(error, FileNotFoundError):
                raise CommandError(f"There is no backup. There is no folder {file.parent}: make it first.") from error
            where = f"{error.filename or file} cannot be written: {error.strerror}"
            raise CommandError(f"There is no backup. {where}. Name a file in a folder of this user.") from error
        self.stdout.write(f"{file}: {file.stat().st_size / 1e6:,.1f} MB, checked.")
        self.stdout.write(
            f"Keep SECRET_KEY (or {settings.DATA_DIR / 'secret_key'}) apart from it, and safe: without it no receipt "
            "can be verified, and who was erased is not known again."
        )
