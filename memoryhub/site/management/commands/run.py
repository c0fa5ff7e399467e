"""Starts everything: migrates, makes the administrator, then keeps web, worker and (with a token) bot alive."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from memory.management.database import migrate
from memoryhub.checks import CONFIGURATION
from memoryhub.server import first_start


class Command(BaseCommand):
    """`manage.py run`, what `make run` calls."""

    requires_system_checks = (CONFIGURATION,)
    help = "Start web, worker and (with DISCORD_TOKEN) bot; restart what dies; Ctrl-C stops all."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Replace this process by the supervisor."""
        bind = settings.MEMORYHUB_BIND
        host, _, port = bind.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65_536:
            raise CommandError(f"MEMORYHUB_BIND is {bind!r}; write host:port, for example 127.0.0.1:8000.")
        _take_lock(settings.DATA_DIR / "run.lock")
        _refuse_taken_port(host, int(port))
        migrate()
        password = first_start.ensure_admin()
        self.stdout.write(f"memoryhub: http://{host}:{port}/ (Ctrl-C stops it)")
        if password:
            hint = f" with the password {password} (shown only now; it can be changed inside)."
        else:
            hint = ". A lost password: .venv/bin/python manage.py changepassword admin"
        self.stdout.write(f"Sign in as {first_start.NAME}{hint}")
        self.stdout.flush()
        os.environ.update(  # supervisord's programs inherit it
            MEMORYHUB_PYTHON=sys.executable,
            MEMORYHUB_BIND=bind,
            MEMORYHUB_DATA=str(settings.DATA_DIR),
            MEMORYHUB_RUN_BOT="true" if settings.DISCORD_TOKEN else "false",
        )
        os.chdir(settings.BASE_DIR)
        config = settings.BASE_DIR / "memoryhub" / "server" / "supervisord.conf"
        # Who is root stays root here; unless it is said, the supervisor warns of it right below the password.
        user = ["-u", "0"] if os.getuid() == 0 else []
        command = [sys.executable, "-m", "supervisor.supervisord", "-n", *user, "-c", str(config)]
        os.execv(sys.executable, command)  # noqa: S606


def _take_lock(path: Path) -> None:
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
    os.set_inheritable(handle, True)  # noqa: FBT003


def _refuse_taken_port(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except OSError as error:
            raise CommandError(
                f"{host}:{port} cannot be used: {error.strerror}. Choose another with MEMORYHUB_BIND."
            ) from None
