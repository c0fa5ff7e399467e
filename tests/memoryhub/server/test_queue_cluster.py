"""The queue's own process: nothing that was done is lost when it stops."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress

import pytest
from django.db import OperationalError
from django_q.pusher import pusher

from memoryhub.server import queue_cluster
from memoryhub.server.queue_cluster import Cluster, PatientBroker, SignalEvent

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


AWAY = "the queue does not answer; it is asked again"


class Broker:
    """Stands in for a broker whose server is away for so many tries; then it is told to stop."""

    list_key = "memoryhub"

    def __init__(self, tries: int, stop: SignalEvent) -> None:
        self.left, self.stop = tries, stop

    def dequeue(self):
        if self.left:
            self.left -= 1
            raise OperationalError("connection refused")
        self.stop.set()

    def acknowledge(self, _task):
        raise OperationalError("connection refused")


@pytest.mark.parametrize(
    ("tries", "known", "told"), [(2, False, []), (9, True, []), (9, False, [AWAY, "the queue answers again"])]
)
def test_a_broker_that_is_away_is_asked_until_it_answers_and_told_once(monkeypatch, caplog, tries, known, told):
    monkeypatch.setattr(queue_cluster, "AGAIN", 0.0)
    stop = SignalEvent()
    broker = PatientBroker(Broker(tries, stop), lambda _: known)
    pusher(None, stop, broker)  # returns at once where a try is no longer made, and leaves the rest to the guard
    assert broker.left == 0
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == told
    assert not [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]


def test_a_broker_that_goes_on_failing_after_an_outage_that_was_told_is_told(monkeypatch, caplog):
    monkeypatch.setattr(queue_cluster, "AGAIN", 0.0)
    broker = PatientBroker(Broker(9, SignalEvent()), lambda _: broker.failed <= 5)
    for _ in range(9):
        broker.dequeue()
    assert [record.getMessage() for record in caplog.records] == [AWAY]


@pytest.mark.django_db
@pytest.mark.parametrize("known", [True, False])
def test_why_nothing_that_is_due_begins_is_told_unless_it_is_known(monkeypatch, caplog, known):
    def refuse():
        raise OperationalError("password authentication failed")

    cluster = Cluster(is_told=lambda _: known)
    monkeypatch.setattr(queue_cluster.connection, "ensure_connection", refuse)
    monkeypatch.setattr(queue_cluster, "close_old_connections", lambda: None)
    assert not cluster._database_answers()
    assert len(caplog.records) == (0 if known else 1)


def test_a_task_that_could_not_be_acknowledged_does_not_end_who_keeps_results():
    PatientBroker(Broker(0, SignalEvent()), bool).acknowledge(1)


@pytest.mark.django_db
def test_the_cluster_asks_its_broker_patiently():
    assert isinstance(Cluster().broker, PatientBroker)
