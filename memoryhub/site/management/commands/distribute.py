"""`manage.py distribute`: spread the guilds over a Citus cluster; `--partitions 16` cuts the tables of one server."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error

from memoryhub.db.backend import on_postgres
from memoryhub.db.trouble import explain


class Command(BaseCommand):
    """Spread the tables of guilds by guild."""

    help = (
        "Spread the guilds over the nodes of a Citus cluster, or with --partitions over partitions of one PostgreSQL. "
        "Stop the hub before; all of it is done, or nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take how, and whether only to say it."""
        parser.add_argument(
            "--partitions", type=int, metavar="N", help="Cut into so many native partitions, without Citus."
        )
        parser.add_argument(
            "--shards", type=int, default=32, metavar="N", help="Into how many shards Citus cuts; 32 unless told."
        )
        parser.add_argument("--dry-run", action="store_true", help="Say what would be done, and do nothing.")

    def handle(self, *_: Any, partitions: int | None, shards: int, dry_run: bool, **__: Any) -> None:
        """Plan, and do it."""
        if not on_postgres():
            raise CommandError(
                "SQLite keeps everything in one file, which cannot be spread. Let DATABASE_URL name a PostgreSQL."
            )
        from memoryhub.db.postgres import spread

        try:
            steps = spread.plan_citus(shards) if partitions is None else spread.plan_partitions(partitions)
            if dry_run:
                for step in steps:
                    self.stdout.write(f"-- {step.what}")
                    self.stdout.write("".join(f"{statement};\n" for statement in step.statements))
                self.stdout.write("Nothing was changed.")
                return
            spread.run(steps, progress=self.stdout.write)
        except spread.NotSpread as error:
            raise CommandError(str(error)) from None
        except Error as error:
            raise CommandError(f"Nothing was changed. {explain(error)}") from error
        self.stdout.write("Done. Start the hub again.")
