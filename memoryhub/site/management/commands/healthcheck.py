"""Asks one part of the hub on this host whether it is well: for containers and supervisors, by the exit code."""

from __future__ import annotations

import socket
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection
from django.utils import timezone

from botrunner.models import BotProcess, Shard
from memoryhub.server import instruments

SECONDS = 4


class Command(BaseCommand):
    """`manage.py healthcheck http://127.0.0.1:8000/health/ready`, or `worker`, or `bot`."""

    help = "Exit 0 if the web server at an address, or this host's worker or bot, is well; 1 and a sentence if not."
    requires_system_checks: list[str] = []  # noqa: RUF012  it is asked every few seconds

    def add_arguments(self, parser: CommandParser) -> None:
        """Take what is asked."""
        parser.add_argument("part", help="worker, bot, or the address of the web server's readiness")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Ask; raises CommandError that says what is wrong."""
        part = options["part"]
        try:
            if part == "worker":
                _ask_worker()
            elif part == "bot":
                _ask_bot()
            elif part.startswith("http://"):
                urlopen(part, timeout=SECONDS).close()  # noqa: S310  http, and given by the operator
            else:
                raise CommandError(
                    f"{part!r} is nothing that can be asked: write worker, bot or http://HOST:PORT/PATH."
                )
        except HTTPError as error:
            error.close()
            raise CommandError(f"{part} answered {error.code}, {error.reason}.") from None
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)  # urllib wraps what the system said
            raise CommandError(f"{part} does not answer: {getattr(reason, 'strerror', None) or reason}.") from None
        except ValueError:  # the standard library's, for half an address or a letter that none can hold
            raise CommandError(f"{part!r} is no address; write http://HOST:PORT/PATH.") from None
        except DatabaseError as error:
            raise CommandError(f"{part}: the database does not answer ({type(error).__name__}).") from None


def _ask_worker() -> None:
    """A queue that broke ends by itself, so it is well while it runs and its database answers."""
    if not any(role == "worker" for _, role, _ in instruments.processes()):
        raise CommandError("No worker runs on this host.")
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _ask_bot() -> None:
    """A bot that is well says so in the database every few seconds, also one that has no shard to run."""
    since = timezone.now() - Shard.policy.length
    if not BotProcess.objects.filter(name__startswith=f"{socket.gethostname()}:", seen_at__gt=since).exists():
        raise CommandError("No bot of this host has said that it runs.")
