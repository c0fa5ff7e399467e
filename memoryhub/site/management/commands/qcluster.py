<<<<<<< HEAD
"""Runs the background queue: django-q2's command, with processes that neither outlive nor block each other."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from django_q.management.commands import qcluster

from memoryhub.server.die_with_parent import tie
from memoryhub.server.queue_cluster import Cluster


class Command(qcluster.Command):  # type: ignore[misc]
    """`manage.py qcluster`; this app stands before django-q2's, so that its command is this one."""

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run until a signal; end with an error when the queue broke."""
        os.register_at_fork(after_in_child=lambda: tie(signal.SIGKILL))
        running = Cluster()
        running.start()
        if options["run_once"]:
            running.stop()
        running.sentinel.join()
        if running.start_event is not None:
            sys.exit("The queue has ended. What it was at goes on when it is started again.")
=======
"""`manage.py qcluster`, the worker: django-q2's, that can be seen to live."""

from __future__ import annotations

import fcntl
from typing import Any

from django.conf import settings
from django_q.management.commands import qcluster

LOCK = "worker.lock"


class Command(qcluster.Command):
    """Run the queue, and hold a lock for as long as any of its processes lives."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Share the lock: one data folder may have several workers."""
        with (settings.DATA_DIR / LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            super().handle(*args, **options)


def worker_lives() -> bool:
    """Say whether a worker holds the lock now."""
    with (settings.DATA_DIR / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
>>>>>>> 4cb64da (db: Back up, restore, and say what befell the file.)
