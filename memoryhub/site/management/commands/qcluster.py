"""Runs the background queue: django-q2's command, with processes that neither outlive nor block each other."""

from __future__ import annotations

import fcntl
import os
import signal
from typing import Any

from django.conf import settings
from django_q.management.commands import qcluster

from memoryhub import db
from memoryhub.checks import CONFIGURATION
from memoryhub.db.trouble import is_told
from memoryhub.server import instruments, shared_imports, tracing
from memoryhub.server.die_with_parent import tie
from memoryhub.server.queue_cluster import Cluster

LOCK = "worker.lock"


class Command(qcluster.Command):  # type: ignore[misc]
    """`manage.py qcluster`; this app stands before django-q2's, so that its command is this one."""

    requires_system_checks = (CONFIGURATION,)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run until a signal, holding the worker's lock; end with exit code 1 when the queue broke."""
        shared_imports.keep("memory.tasks")  # before the lock, which says that it is at work
        os.register_at_fork(after_in_child=lambda: tie(signal.SIGKILL))
        db.let_others_write()
        with (settings.DATA_DIR / LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)  # one data folder may have several workers
            instruments.share("worker")
            tracing.start("worker")
            Cluster(is_told=is_told).run(once=options["run_once"])


def worker_lives() -> bool:
    """Say whether a worker holds the lock now."""
    with (settings.DATA_DIR / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
