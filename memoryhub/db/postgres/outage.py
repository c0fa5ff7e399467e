"""What a process knows of a server that is away: one asks it again, all others are told at once."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import NoReturn, TypeVar

from psycopg import OperationalError

from memoryhub.db.postgres.server_trouble import brief, is_away

T = TypeVar("T")
AGAIN = 1.0  # seconds after a try that failed until somebody makes the next

logger = logging.getLogger(__name__)


class StillAway(OperationalError):
    """The server was away when it was asked last; the log has it already."""


class Outage:
    """Of one server, in one process; several threads use it.

    The log tells of an outage once somebody has asked twice in vain, and of its end; of one that ended before, then, if
    others met it. A short command that meets one says so itself.
    """

    def __init__(self, server: str = "PostgreSQL") -> None:
        self.server = server
        self.error: OperationalError | None = None
        self.failed, self.others_met_it = 0, False
        self.since = self.next_try = 0.0
        self._trying = threading.Lock()

    def connect(self, way: Callable[[], T]) -> T:
        """Return what the way returns; while the server is away, raise StillAway instead of trying it, but for one."""
        error = self.error
        if error is None:
            return self._tried(way)
        if time.monotonic() < self.next_try or not self._trying.acquire(blocking=False):
            self.others_met_it = True
            raise StillAway(*error.args)
        try:
            return self._tried(way)
        finally:
            self._trying.release()

    def _tried(self, way: Callable[[], T]) -> T:
        try:
            found = way()
        except OperationalError as error:
            if is_away(error):
                self._go_on(error)
            if brief(error):  # it answers, if with a no, and the next one may get another: no connection is free, say
                self.end()
            raise
        self.end()
        return found

    def _go_on(self, error: OperationalError) -> NoReturn:
        now = time.monotonic()
        told, again = self.failed > 1, now >= self.next_try
        if self.error is None:
            self.since = now
        self.error, self.next_try = error, now + AGAIN
        self.failed += again  # those who were at it together count once
        if self.failed > 1 and not told:
            logger.error("%s is away: %s", self.server, brief(error))
        raise StillAway(*error.args) if self.failed > 1 else error

    def end(self) -> None:
        """Have all try again: somebody got through."""
        if (error := self.error) is None:
            return
        seconds = {"seconds": round(time.monotonic() - self.since)}
        if self.failed > 1:
            logger.warning("%s is back", self.server, extra=seconds)
        elif self.others_met_it:
            logger.error("%s was away: %s", self.server, brief(error), extra=seconds)
        self.error, self.failed, self.others_met_it = None, 0, False


def is_told(error: BaseException) -> bool:
    """Say whether an error, the driver's or Django's, is one of an outage that the log has already."""
    return isinstance(error, StillAway) or isinstance(error.__cause__, StillAway)
