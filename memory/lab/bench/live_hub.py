"""Starts the whole hub on a scratch database, as `make run` does: web server, worker, supervisor."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.conf import settings

from memory.lab.scratch import Scratch

PATIENCE = 90.0  # seconds
POLL = 0.1


@contextmanager
def hub(database: Scratch) -> Iterator[int]:
    """Serve the database by `manage.py run` on a free port of loopback, which it yields; stop all of it at the end."""
    with _own_port() as port, (database.folder / "hub.log").open("wb") as log:
        environment = {
            **os.environ, "MEMORYHUB_DATA_DIR": str(database.folder), "DATABASE_URL": database.address,
            "MEMORYHUB_BIND": f"127.0.0.1:{port}", "MEMORYHUB_LOG_LEVEL": "WARNING", "DISCORD_TOKEN": "", "DEBUG": "",
            "REDIS_URL": "", "ALLOWED_HOSTS": "",
        }  # fmt: skip
        process = subprocess.Popen(  # noqa: S603  our own command
            [sys.executable, str(settings.BASE_DIR / "manage.py"), "run"], cwd=settings.BASE_DIR, env=environment,
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            _wait_for_health(port, process)
            yield port
        finally:
            # The supervisor stops its programs; what is left of its group after that is killed.
            with suppress(subprocess.TimeoutExpired):
                process.terminate()
                process.wait(PATIENCE)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def log_of(database: Scratch) -> str:
    """Return what the hub wrote: warnings and worse."""
    return (database.folder / "hub.log").read_text(encoding="utf-8", errors="replace")


@contextmanager
def _own_port() -> Iterator[int]:
    """Yield a port that is given to nobody else meanwhile; the web server, which reuses addresses, may listen there."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        yield int(bound.getsockname()[1])


def _wait_for_health(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            connection.request("GET", "/api/v1/health")
            if connection.getresponse().status == http.HTTPStatus.OK:
                return
        time.sleep(POLL)
    raise RuntimeError("The hub did not start.")
