"""The queue's own process: nothing that was done is lost when it stops."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress

import pytest

from memoryhub.server.queue_cluster import Cluster

STOPPED_WHILE_A_WORKER_WORKS = """
import os, signal, sys, time
import django
django.setup()
from memoryhub.server.queue_cluster import Cluster, is_stopping

class OneWorker(Cluster):
    def start(self):
        if not (worker := os.fork()):
            while not is_stopping():
                time.sleep(0.01)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGTERM)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]))

OneWorker().run(once=True)
"""
GIVES_WAY = """
import django
django.setup()
from django.core.management import call_command
from memoryhub.db.sqlitevec.base import DatabaseWrapper
from memoryhub.server.queue_cluster import Cluster

Cluster.run = lambda self, once: None
call_command("qcluster", "--run-once")
assert DatabaseWrapper.gives_way
"""


def test_what_a_worker_is_at_learns_that_the_queue_was_told_to_stop():
    subprocess.run([sys.executable, "-c", STOPPED_WHILE_A_WORKER_WORKS], timeout=120, check=True)


@pytest.mark.sqlite_only("elsewhere writers stand in a line")
def test_the_queue_gives_way_to_those_for_whose_answer_somebody_waits():
    subprocess.run([sys.executable, "-c", GIVES_WAY], timeout=120, check=True)


@pytest.mark.django_db
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_stop_keeps_every_result_that_came(monkeypatch):
    done, kept = 30, []

    def keep(results, _broker=None):
        for result in iter(results.get, "STOP"):
            time.sleep(0.02)  # as a database takes
            kept.append(result)

    monkeypatch.setattr("django_q.cluster.monitor", keep)
    monkeypatch.setattr("django_q.cluster.pusher", lambda *_: None)
    cluster = Cluster()
    cluster.pusher, cluster.monitor = cluster.spawn_pusher(), cluster.spawn_monitor()
    for number in range(done):
        cluster.result_queue.put(number)
    cluster.stop()
    with suppress(ValueError):  # closed already
        cluster.result_queue.close()
    assert kept == list(range(done))
