"""Starts everything: migrates, makes the administrator, then keeps web, worker and (with a token) bot alive."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command

from memory.management.database import migrate, wait_for_server
from memoryhub.ai.warm_up import warm_up
from memoryhub.checks import CONFIGURATION
from memoryhub.db.backups import backups
from memoryhub.server import first_start, shared_imports
from memoryhub.server.supervisor import Part, Supervisor, apart

SHARED = (
    "gunicorn.app.wsgiapp", "memoryhub.server.web_worker", "django.core.handlers.asgi", "django_q.cluster",
    "memoryhub.server.queue_cluster", "memoryhub.tasks", "memory.tasks",
)  # fmt: skip
"""Beside the pages: what web and worker import, but what does something by being imported, as `memoryhub.asgi` does."""
NO_ADDRESS = "MEMORYHUB_BIND is {!r}; write host:port, for example 127.0.0.1:8000."


class Command(BaseCommand):
    """`manage.py run`, what `make run` calls."""

    requires_system_checks = ()  # they open the database, which no fork may get
    help = "Start web, worker and (with DISCORD_TOKEN) bot; restart what dies; Ctrl-C stops all."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Become the supervisor."""
        bind, lock = settings.MEMORYHUB_BIND, take_place()
        os.chdir(settings.BASE_DIR)
        prepared = apart(partial(self.prepare, f"http://{bind}/"))
        shared_imports.import_pages()
        warm_up()
        shared_imports.keep(*SHARED)
        prepared()
        parts = [
            Part(name="web", work=partial(_serve, bind), patience=25),
            Part(name="worker", work=partial(call_command, "qcluster"), patience=30),
        ]
        if settings.DISCORD_TOKEN:
            parts.append(Part(name="bot", work=partial(call_command, "runbot"), patience=20))
        Supervisor(parts, private=[lock]).run()

    def prepare(self, address: str) -> None:
        """Wait for the database, check the settings, make the tables and the administrator, and say where to go."""
        wait_for_server()
        self.check(tags=[CONFIGURATION])
        backups().clear_unfinished()
        migrate()
        password = first_start.ensure_admin()
        self.stdout.write(f"memoryhub: {address} (Ctrl-C stops it)")
        if password:
            hint = f" with the password {password} (shown only now; it can be changed inside)."
        else:
            hint = ". A lost password: .venv/bin/python manage.py changepassword admin"
        self.stdout.write(f"Sign in as {first_start.NAME}{hint}")


def take_place() -> int:
    """Return the lock of the data folder, held until it is closed; raises CommandError where no hub could start."""
    bind = settings.MEMORYHUB_BIND
    host, _, port = bind.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise CommandError(NO_ADDRESS.format(bind))
    lock = _take_lock(settings.DATA_DIR / "run.lock")
    _refuse_taken_port(host, int(port))
    return lock


def _serve(bind: str) -> None:
    from gunicorn.app.wsgiapp import run

    sys.argv = ["gunicorn", "memoryhub.asgi", "--config", "memoryhub/server/gunicorn_conf.py", "--bind", bind]
    run()


def _take_lock(path: Path) -> int:
    """Hold the lock for as long as the supervisor lives: two of them would run every job twice."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pid = os.read(handle, 20).decode() or "unknown"
        raise CommandError(
            f"memoryhub is already running with this data folder (process {pid}). Stop that one first (Ctrl-C), "
            "or give this one another MEMORYHUB_DATA_DIR and MEMORYHUB_BIND."
        ) from None
    os.truncate(handle, 0)
    os.write(handle, str(os.getpid()).encode())
    return handle


def _refuse_taken_port(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except UnicodeError:  # what no name of a host can be, such as one with a part of no letters
            raise CommandError(NO_ADDRESS.format(f"{host}:{port}")) from None
        except OSError as error:
            raise CommandError(
                f"{host}:{port} cannot be used: {error.strerror}. Choose another with MEMORYHUB_BIND."
            ) from None
