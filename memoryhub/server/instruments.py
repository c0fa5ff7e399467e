"""What the processes of this host count together, by the Prometheus client: kinds, outcomes and times; no ids.

A process that serves, works or listens calls `share` at its start. From then on its numbers lie in files of the data
folder, which `/metrics` adds up. Each process has files of its own, and whoever starts later goes on with those of one
that ended: there are never more files than processes ran at once, and a count never goes back.
"""

from __future__ import annotations

import fcntl
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Counter, Histogram

ANSWERING = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
WORKING = (0.1, 0.5, 2, 10, 30, 60, 180, 600)
"""Upper bounds of the histograms, in seconds: of requests, and of work that may wait for a model."""
RESERVED = 512 * 1024
"""Bytes of each file, taken at the start: a disk that is full later ends no process that writes to mapped memory."""
KINDS = ("counter", "histogram")

_making = threading.Lock()
"""Held while the instruments are made: the client refuses a name twice, which two first requests at once would give."""


@dataclass(frozen=True)
class Instruments:
    """What is counted; the label of a route is its template, never its path."""

    requests: Counter
    request_seconds: Histogram
    messages: Counter
    left_out: Counter
    digest_seconds: Histogram
    night_seconds: Histogram
    model_seconds: Histogram
    model_tokens: Counter
    model_cost: Counter
    erasures: Counter


def counted() -> Instruments:
    """Return what is counted, made at its first use: the client takes a while to import."""
    with _making:
        return _instruments()


@cache
def _instruments() -> Instruments:
    from prometheus_client import Counter, Histogram, disable_created_metrics

    disable_created_metrics()  # type: ignore[no-untyped-call]  # the time of a first count: a line for each, read by nobody
    return Instruments(
        requests=Counter("memoryhub_requests", "HTTP requests answered.", ["method", "route", "status"]),
        request_seconds=Histogram(
            "memoryhub_request_seconds", "Seconds until an answer, waiting for a thread included.", ["route"],
            buckets=ANSWERING,
        ),
        messages=Counter("memoryhub_messages", "Messages that came in, by what became of them.", ["status", "reason"]),
        left_out=Counter("memoryhub_left_out", "What was not learned from, by the reason.", ["kind", "reason"]),
        digest_seconds=Histogram(
            "memoryhub_digest_seconds", "Seconds of a digest of one conversation.", ["outcome"], buckets=WORKING
        ),
        night_seconds=Histogram(
            "memoryhub_night_seconds", "Seconds of one phase of a guild's night.", ["phase", "outcome"], buckets=WORKING
        ),
        model_seconds=Histogram(
            "memoryhub_model_seconds", "Seconds of a question to a model, tries included; outcome budget: not asked.",
            ["purpose", "model", "outcome", "reason"], buckets=WORKING,
        ),
        model_tokens=Counter("memoryhub_model_tokens", "Tokens read and written.", ["purpose", "model", "way"]),
        model_cost=Counter("memoryhub_model_cost_usd", "US dollars, where the price is known.", ["purpose", "model"]),
        erasures=Counter("memoryhub_erasures", "Erasures that ended with a receipt.", ["kind"]),
    )  # fmt: skip


@contextmanager
def timed(histogram: Histogram, **labels: str) -> Iterator[dict[str, str]]:
    """Observe the seconds of the block, which may change the labels it is given."""
    started = time.perf_counter()
    try:
        yield labels
    finally:
        histogram.labels(**labels).observe(time.perf_counter() - started)


# --- The files of the host ---------------------------------------------------------------------------------------


def folder() -> Path:
    """Return where the processes of this host keep their numbers."""
    return settings.DATA_DIR / "metrics"


def share(role: str) -> None:
    """Count together with the other processes of this host from now on; called before anything is counted.

    Where the files can't be made, on a full disk for example, the process counts for itself and nobody sees it.
    """
    from prometheus_client import values

    try:
        folder().mkdir(mode=0o750, exist_ok=True)
        slot = _Slot(role)
        slot.number()
    except OSError:
        return
    os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(folder()))
    values.ValueClass = values.MultiProcessValue(slot.number)  # type: ignore[no-untyped-call]


class _Slot:
    """The number that the files of this process bear; a fork gets another."""

    def __init__(self, role: str) -> None:
        self.role, self.pid, self.taken = role, 0, ""
        self.lock: IO[str] | None = None

    def number(self) -> str:
        """Return the number: asked at each count, so quick where the process is the same."""
        if self.pid != os.getpid():
            self.pid = os.getpid()
            try:
                self.taken = self._take()
            except OSError:  # a full disk must not end the work: a fork goes on with its parent's file
                if not self.taken:
                    raise
        return self.taken

    def _take(self) -> str:
        """Lock the lowest number that no living process has; the system frees it when this one ends, however."""
        number = 0
        while (lock := _locked(folder() / f"{number}.lock")) is None:
            number += 1
        for kind in KINDS:
            with (folder() / f"{kind}_{number}.db").open("ab") as file:
                os.posix_fallocate(file.fileno(), 0, RESERVED)
        lock.truncate(0)
        lock.write(f"{socket.gethostname()} {self.pid} {self.role}")
        lock.flush()
        self.lock = lock  # a fork lets go of its parent's, which the parent still holds
        return str(number)


def _locked(path: Path) -> IO[str] | None:
    """Return the open file with its lock held, None where another process holds it."""
    file = path.open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


# --- What is told ------------------------------------------------------------------------------------------------


def registry() -> CollectorRegistry:
    """Return what the processes of this host counted, and what each of them takes of memory and CPU."""
    from prometheus_client import REGISTRY, CollectorRegistry
    from prometheus_client.multiprocess import MultiProcessCollector

    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:  # a process that shares nothing
        return REGISTRY
    found = CollectorRegistry()
    MultiProcessCollector(found, str(folder()))  # type: ignore[no-untyped-call]
    return found


def processes() -> Iterator[tuple[str, str, int]]:
    """Yield number, role and process id of those that run on this machine now."""
    for path in sorted(folder().glob("*.lock")):
        if (ended := _locked(path)) is not None:
            ended.close()
            continue
        host, _, rest = path.read_text(encoding="utf-8").partition(" ")
        pid, _, role = rest.partition(" ")
        if host == socket.gethostname() and pid.isdigit():
            yield path.stem, role, int(pid)
