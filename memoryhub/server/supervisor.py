"""Keeps the parts of a hub alive: each is a fork of one process, which has imported once what they share.

That process opens no database and starts no thread: a fork would get a copy of files, memory and locks that are
another's. What must be done with them before the parts begin is done `apart`.
"""

from __future__ import annotations

import ctypes
import logging
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from memoryhub.server.die_with_parent import tie

logger = logging.getLogger(__name__)

STOPS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
SETTLED = 2.0  # seconds after which a part has begun well: it is started again at once, whenever it ends
LONGEST = 60.0  # seconds until one that ended sooner is tried again; a second more each time
PR_SET_NAME = 15


@dataclass(kw_only=True)
class Part:
    """One part of the hub: what it does, and the seconds that it has to end once it is told to."""

    name: str
    work: Callable[[], object]
    patience: float
    pid: int = 0
    since: float = 0.0
    failures: int = 0  # in a row
    due: float = 0.0  # when it is started, if it does not run


class Supervisor:
    """Starts the parts, and again what ends by itself, until a signal tells it to end all of them.

    `private`: file descriptors that no part may hold.
    """

    def __init__(self, parts: Sequence[Part], *, private: Sequence[int] = ()) -> None:
        self.parts, self.told = parts, False
        self.woken, waker = os.pipe()
        self.private = (*private, self.woken, waker)
        for end in (self.woken, waker):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(waker)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in STOPS:
            signal.signal(number, self._stop)

    def run(self) -> None:
        """Return when all have ended; in a fork raise SystemExit once its part has done its work."""
        while not self.told:
            now = time.monotonic()
            for part in self.parts:
                if not part.pid and part.due <= now:
                    self._start(part)
            self._wait(min((part.due - now for part in self.parts if not part.pid), default=None))
        self._end()

    def _stop(self, *_: object) -> None:
        self.told = True

    def _start(self, part: Part) -> None:
        _flush()
        own, part.since = os.getpid(), time.monotonic()
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)  # one that comes now is for who heeds it
        try:
            part.pid = os.fork()
        except OSError as error:  # no memory, or too many processes
            self._ended(part, f"could not begin: {error.strerror}")
        else:
            with suppress(OSError):  # both do it, since either may be first
                os.setpgid(part.pid, part.pid)
        if is_fork := os.getpid() != own:
            self._become(part, own)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        if is_fork:
            part.work()
            sys.exit()

    def _become(self, part: Part, parent: int) -> None:
        """Let go, in the fork, of what is the supervisor's; end with it, and let nothing outlive the part."""
        tie(signal.SIGTERM)
        os.register_at_fork(after_in_child=lambda: tie(signal.SIGKILL))
        if os.getppid() != parent:  # it ended before
            os._exit(1)
        signal.set_wakeup_fd(-1)
        for number in (*STOPS, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        for end in self.private:
            os.close(end)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_NAME, f"hub-{part.name}".encode())  # as `ps` and `top` show it

    def _wait(self, seconds: float | None) -> None:
        """Wait for a signal, but not longer; then see which parts have ended."""
        select.select([self.woken], [], [], None if seconds is None else max(seconds, 0))
        with suppress(BlockingIOError):
            os.read(self.woken, 512)
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                for part in self.parts:
                    if part.pid == ended[0]:
                        _kill(part)  # what it has left behind
                        self._ended(part, f"ended with exit code {os.waitstatus_to_exitcode(ended[1])}")

    def _ended(self, part: Part, how: str) -> None:
        part.pid, now = 0, time.monotonic()
        part.failures = 0 if now - part.since >= SETTLED else part.failures + 1
        part.due = now + min(float(part.failures), LONGEST)
        if not self.told:
            logger.warning("the %s %s; it is started again", part.name, how)

    def _end(self) -> None:
        """Tell all to end, and kill those that take too long."""
        begun = time.monotonic()
        for part in self.parts:
            if part.pid:
                os.kill(part.pid, signal.SIGTERM)
        while running := [part for part in self.parts if part.pid]:
            passed = time.monotonic() - begun
            for part in running:
                if part.patience <= passed:
                    _kill(part)
            self._wait(min((part.patience - passed for part in running if part.patience > passed), default=None))


def apart(work: Callable[[], object]) -> Callable[[], None]:
    """Begin something in a process of its own; what is returned waits for it, and ends this one where it failed.

    What it opens, loads and imports is gone with it. In that process SystemExit is raised once it is done.
    """
    _flush()
    if not (pid := os.fork()):
        tie(signal.SIGTERM)
        work()
        sys.exit()

    def wait() -> None:
        if code := os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
            sys.exit(code if code > 0 else 1)

    return wait


def _kill(part: Part) -> None:
    with suppress(ProcessLookupError):
        os.killpg(part.pid, signal.SIGKILL)


def _flush() -> None:
    """Write out what a fork would write a second time."""
    sys.stdout.flush()
    sys.stderr.flush()
