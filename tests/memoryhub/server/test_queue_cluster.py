"""The queue's own process: nothing that was done is lost when it stops."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from memoryhub.server.queue_cluster import Cluster


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
