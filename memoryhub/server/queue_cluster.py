"""The background queue, hardened: it stops in time, and ends as a whole when one of its processes was killed.

Whoever waits for a task holds the lock of the queue between the processes. django-q2 starts another in the place of one
that was killed, but the lock stays taken: nothing is worked on any more, and a stop waits for ever.
"""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing.process import BaseProcess

from django_q import cluster
from django_q.conf import logger

STOPPING = 20.0  # seconds that tasks under way have; what they were at is gone on with at the next start
BROKEN = 1  # exit code that has a supervisor start it again


class Sentinel(cluster.Sentinel):  # type: ignore[misc]
    """The process that watches the workers."""

    def reincarnate(self, process: BaseProcess) -> None:
        """Start another process for one that ended by itself; end for one that was killed."""
        if (process.exitcode or 0) < 0:
            logger.critical("A process of the queue was killed (%s). The others end, too.", process.exitcode)
            os._exit(BROKEN)
        super().reincarnate(process)


class Cluster(cluster.Cluster):  # type: ignore[misc]
    """The process that is told to stop."""

    def stop(self) -> bool:
        """Wait for tasks under way, but not for long: rows remember how far work came."""
        timer = threading.Timer(STOPPING, os.kill, (self.sentinel.pid, signal.SIGKILL))
        timer.daemon = True
        timer.start()
        try:
            return bool(super().stop())
        finally:
            timer.cancel()


cluster.Sentinel = Sentinel
