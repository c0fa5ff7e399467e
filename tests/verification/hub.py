"""A hub in a data folder of its own: real processes, real files, real HTTP on loopback."""

from __future__ import annotations

import atexit
import http.client
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from memoryhub.ai.embedding.local import FOLDER
from tests.ports import reserved_port

ROOT = Path(__file__).resolve().parents[2]
EMBEDDER = ROOT / "data" / FOLDER
DATABASE = "memoryhub.sqlite3"
PATIENCE = 240.0  # seconds until a test gives up waiting; nothing here takes a twentieth of it on an idle machine
POLL = 0.05
UNSET = (
    "OPENAI_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY", "MEMORYHUB_MODEL_API_KEY", "MEMORYHUB_MODEL_BASE_URL",
    "MEMORYHUB_MODEL", "MEMORYHUB_CAREFUL_MODEL", "MEMORYHUB_REPLY_MODEL", "MEMORYHUB_FALLBACK_MODEL",
    "MEMORYHUB_EMBEDDING_MODEL", "MEMORYHUB_ADMIN_PASSWORD",
    "DATABASE_URL", "DATABASE_REPLICA_URL", "REDIS_URL", "DISCORD_TOKEN", "DEBUG", "SECRET_KEY", "ALLOWED_HOSTS",
    "MEMORYHUB_LOG_LEVEL",
)  # fmt: skip
GUNICORN = ("-m", "gunicorn", "memoryhub.asgi", "--config", "memoryhub/server/gunicorn_conf.py")


def until(holds: Callable[[], Any], what: str) -> Any:
    """Return the first true answer; fails when there is none in time."""
    end = time.monotonic() + PATIENCE
    while not (answer := holds()):
        assert time.monotonic() < end, f"waited in vain until {what}"
        time.sleep(POLL)
    return answer


@dataclass(frozen=True)
class Answer:
    """An HTTP answer."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass
class Hub:
    """A data folder, the environment that points to it, and the processes started on it."""

    folder: Path
    key: str = ""
    changes: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=reserved_port)
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Share what the embedded model maps with all hubs of this checkout: to make it takes half a second."""
        EMBEDDER.mkdir(parents=True, exist_ok=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            (self.folder / FOLDER).symlink_to(EMBEDDER)

    @property
    def log(self) -> str:
        """Return all that its processes wrote."""
        path = self.folder / "log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    @property
    def environment(self) -> dict[str, str]:
        own = {"MEMORYHUB_DATA_DIR": str(self.folder), "MEMORYHUB_BIND": f"127.0.0.1:{self.port}"}
        return {**os.environ, **dict.fromkeys(UNSET, ""), "PYTHONUNBUFFERED": "1", **own, **self.changes}

    def start(self, *arguments: str, file_size: int | None = None) -> subprocess.Popen[bytes]:
        """Start Python with these arguments, as the leader of a process group; what it writes goes to the log.

        No file can grow beyond `file_size` bytes, as on a full disk.
        """
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *arguments], cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=partial(_limit_files, file_size),
            )  # fmt: skip
        self.processes.append(process)
        return process

    def serve(self, *, file_size: int | None = None) -> subprocess.Popen[bytes]:
        """Start the web server and wait until it answers."""
        process = self.start(*GUNICORN, "--bind", f"127.0.0.1:{self.port}", file_size=file_size)
        self.wait_for_web()
        return process

    def wait_for_web(self) -> None:
        until(self.is_healthy, "the web server answers")

    def is_healthy(self) -> bool:
        with suppress(OSError, http.client.HTTPException):
            return self.call("GET", "/api/v1/health").status == 200
        return False

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of manage.py to its end."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip

    def call(self, method: str, path: str, body: Any = None) -> Answer:
        """Send one request; raises OSError or HTTPException when there is no answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read().decode())
        finally:
            connection.close()

    def stop(self) -> None:
        """Kill what is left of every process group started here."""
        for process in self.processes:
            kill_group(process)


def _limit_files(size: int | None) -> None:
    """Limit what a process that is about to start, and its children, may write to a file."""
    if size is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Send SIGKILL to the process and all its descendants in its group, at once."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)


@cache
def _prepared() -> tuple[Path, str]:
    """Migrate one database and make one key, for all tests of this run to copy."""
    folder = Path(tempfile.mkdtemp(prefix="memoryhub-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    hub = Hub(folder)
    migrated = hub.manage("migrate", "--verbosity", "0")
    assert migrated.returncode == 0, migrated.stderr
    made = hub.manage("create_api_key", "test", "--scope", "admin")
    assert made.returncode == 0, made.stderr
    return folder, made.stdout.split()[-1]


@contextmanager
def a_hub(folder: Path, **changes: str) -> Iterator[Hub]:
    """Give a hub with a migrated database and an admin's key; at the end nothing of it runs any more."""
    source, key = _prepared()
    shutil.copytree(source, folder, dirs_exist_ok=True)
    hub = Hub(folder, key, changes)
    try:
        yield hub
    finally:
        hub.stop()
