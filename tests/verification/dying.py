"""Children of the test's own process that work on its database, and may be killed in the middle of it."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable
from typing import NoReturn

from django.db import connections

from tests.verification.hub import until

KILLED = -signal.SIGKILL


def die() -> NoReturn:
    """Be killed, as by `kill -9`: nothing is rolled back, closed or said."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("nobody survives SIGKILL")


def begin(work: Callable[[], object]) -> int:
    """Start a process that does the work on connections of its own; return its id."""
    connections.close_all()  # an open SQLite file must not be carried into a child
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work()
        status = 0
    except BaseException:  # noqa: BLE001  a child that goes on would run the rest of the tests
        traceback.print_exc()
    finally:
        connections.close_all()
        os._exit(status)


def end(pid: int) -> int:
    """Wait for a process; return its exit code, negative for the signal that killed it."""
    _, status = until(lambda: _ended(pid), f"process {pid} ends")
    return os.waitstatus_to_exitcode(status)


def _ended(pid: int) -> tuple[int, int] | None:
    found, status = os.waitpid(pid, os.WNOHANG)
    return (found, status) if found else None


def race(*workers: Callable[[], None]) -> list[int]:
    """Start processes that all begin in the same moment; return their exit codes."""
    gate, opened = os.pipe()

    def after_the_gate(work: Callable[[], None]) -> Callable[[], None]:
        def waiting() -> None:
            os.close(opened)
            os.read(gate, 1)  # returns when the parent closes its end: all start together
            work()

        return waiting

    racers = [begin(after_the_gate(work)) for work in workers]
    os.close(gate)
    os.close(opened)
    return [end(pid) for pid in racers]
