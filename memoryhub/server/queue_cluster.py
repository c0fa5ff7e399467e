"""The background queue in few processes, hardened: it stops in time, and ends as a whole when a worker was killed.

It begins with one worker, and takes more, up to one a core, while tasks wait and all that there are work.

django-q2 has one process that is told to stop, one that watches, one that fetches tasks, one that keeps results, and
its workers. The first four only wait, and each has some 25 MB, so they are one process here, in which fetching and
keeping are threads. These rest while a worker is forked: a fork would get the locks that they hold, for ever.

Whoever waits for a task holds the lock of the queue between the processes. django-q2 starts another in the place of one
that was killed, but the lock stays taken: nothing is worked on any more, and a stop waits for ever.
"""

from __future__ import annotations

import itertools
import logging
import os
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from ctypes import c_bool
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import RawValue
from typing import Any

from django.db import Error, close_old_connections, connection, connections
from django_q import cluster
from django_q.conf import Conf
from django_q.scheduler import scheduler
from django_q.status import Stat
from django_q.worker import worker

logger = logging.getLogger(__name__)

STOPPING = 20.0  # seconds that tasks under way have; what they were at is gone on with at the next start
RESTING = 15.0  # seconds that the threads have to come to rest: where the broker failed, they wait for ten
SCHEDULED = 60  # looks, of which there are two a second, between those for what is due
WAITED = 6  # looks in a row that found all at work and a task waiting: the minute's short ones come in a row
NEEDLESS = 600.0  # seconds without such a moment, after which a worker beside the first is let go
FREE, TIMED_OUT = -1, 0  # what a worker's timer shows beside the seconds left of its task
AGAIN = 1.0  # seconds until a broker that does not answer is asked again
TELLING = 3  # times in a row that it did not, until it is told
BROKEN = 1  # exit code that has a supervisor start it again
IsTold = Callable[[BaseException], bool]
_stopping = RawValue(c_bool)  # in memory that workers share; without a lock that a killed one would hold


def is_stopping() -> bool:
    """Say whether the queue was told to stop, in which case a long task begins nothing further."""
    return _stopping.value


class SignalEvent:
    """An event that a signal may set while its own thread waits for it."""

    happened = False

    def set(self) -> None:
        """Say that it happened."""
        self.happened = True

    def is_set(self) -> bool:
        """Say whether it did."""
        return self.happened

    def wait(self, seconds: float) -> bool:
        """Wait, a moment longer than needed, and say whether it did."""
        time.sleep(seconds)
        return self.happened


class Thread(threading.Thread):
    """A thread where django-q2 has a process, whose number it tells."""

    @property
    def pid(self) -> int:
        """Return the number of the process that it is in."""
        return os.getpid()


class PatientBroker:
    """django-q2's broker, which is asked again while it does not answer; the log tells it once, and its end once.

    django-q2 ends the thread that fetches tasks, after ten seconds, and the guard tells that another was started.
    """

    def __init__(self, broker: Any, is_told: IsTold) -> None:
        self.broker, self.is_told = broker, is_told
        self.failed, self.told = 0, False

    def __getattr__(self, name: str) -> Any:
        """Do as the broker does in all else."""
        return getattr(self.broker, name)

    def dequeue(self) -> Any:
        """Return the next tasks; none where none came, or where they could not be asked for."""
        try:
            tasks = self.broker.dequeue()
        except Exception as error:
            self.failed += 1
            if self.failed >= TELLING and not self.told and not self.is_told(error):
                logger.warning("the queue does not answer; it is asked again", exc_info=error)
                self.told = True
            time.sleep(AGAIN)
            return None
        if self.told:
            logger.warning("the queue answers again")
        self.failed, self.told = 0, False
        return tasks

    def acknowledge(self, task: Any) -> None:
        """Have a task that was done forgotten; where that can't be told it is done once more, which is safe."""
        with suppress(Exception):
            self.broker.acknowledge(task)


class Cluster(cluster.Sentinel):  # type: ignore[misc]
    """Watches the workers, and has threads that fetch their tasks and keep their results."""

    pool: list[Any]  # processes, each with the timer that django-q2 gives it
    pool_size: int
    monitor: Thread
    pusher: Thread
    broker: Any

    def __init__(self, *, is_told: IsTold = lambda _: False) -> None:
        """Make it ready; `run` begins. `is_told` says of an error whether the log has it already."""
        super().__init__(SignalEvent(), SignalEvent(), uuid.uuid4(), start=False)
        self.broker = PatientBroker(self.broker, is_told)
        self.most, self.pool_size = Conf.WORKERS, 1
        self.leaving = 0  # workers that were told to go
        self.waited, self.full_at = 0, time.monotonic()

    def run(self, *, once: bool = False) -> None:
        """Work until SIGTERM or SIGINT; `once`: only until what is there has been fetched."""
        os.register_at_fork(after_in_child=_leave_signals)
        _stopping.value = False  # what ran before in the place of this one may have been told
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._tell)
        if once:
            self.stop_event.set()
        self.start()

    def _tell(self, *_: object) -> None:
        _stopping.value = True
        self.stop_event.set()

    def spawn_process(self, target: Callable[..., None], *args: Any) -> BaseProcess | Thread:
        """Start a worker as a process, anything else as a thread."""
        if target is worker:
            process: BaseProcess = super().spawn_process(target, *args)
            return process
        thread = Thread(target=_and_let_go, args=(target, *args), name=target.__name__, daemon=True)
        thread.start()
        return thread

    def guard(self) -> None:
        """Watch until told to stop: replace what ended, fit the number of workers, begin what is scheduled."""
        self.start_event.set()
        for look in itertools.count(1):
            for process in list(self.pool):
                with process.timer.get_lock():
                    if not process.is_alive() or process.timer.value == TIMED_OUT:
                        self.reincarnate(process)
                    elif process.timer.value > 0:
                        process.timer.value -= Conf.GUARD_CYCLE
            for thread in (self.monitor, self.pusher):
                if not thread.is_alive():
                    self.reincarnate(thread)
            self._fit()
            if look % SCHEDULED == 0 and self._database_answers():
                scheduler(broker=self.broker)
            Stat(self).save()
            if self.stop_event.wait(Conf.GUARD_CYCLE):
                break
        self.stop()

    def _fit(self) -> None:
        """Add a worker where a task has waited for one, let one go where long not all of them had work."""
        now, full = time.monotonic(), all(process.timer.value > 0 for process in self.pool)
        self.full_at = now if full else self.full_at
        self.waited = self.waited + 1 if full and not self.task_queue.empty() else 0
        if self.waited > WAITED and len(self.pool) < self.most:
            self.waited = 0
            self._rest()
            connections.close_all()
            self.spawn_worker()
            self._go_on()
        elif len(self.pool) - self.leaving > 1 and now - self.full_at > NEEDLESS:
            self.leaving += 1
            self.task_queue.put("STOP")

    def _database_answers(self) -> bool:
        """Say whether what is due can be looked up; django-q2 would log where in its code it could not, each time."""
        close_old_connections()
        try:
            connection.ensure_connection()
        except Error as error:
            if not self.broker.is_told(error):
                logger.warning("what is due could not be looked up", exc_info=error)
            return False
        return True

    def reincarnate(self, ended: Any) -> None:
        """Start another in the place of one that ended by itself; end all where a worker was killed."""
        if isinstance(ended, Thread):
            super().reincarnate(ended)
        elif (ended.exitcode or 0) < 0:
            self._end(f"A process of the queue was killed ({ended.exitcode}), so the others end, too.", BROKEN)
        elif self.leaving and ended.timer.value == FREE:
            self.leaving -= 1
            self.pool.remove(ended)
        else:
            self._rest()
            super().reincarnate(ended)
            self._go_on()

    def _rest(self) -> None:
        """Have the threads end; one that is kept by what it does is not waited for longer."""
        self.event_out.set()
        self.result_queue.put("STOP")
        for thread in (self.pusher, self.monitor):
            thread.join(RESTING)
        self.event_out.clear()

    def _go_on(self) -> None:
        if not self.monitor.is_alive():
            self.monitor = self.spawn_monitor()
        if not self.pusher.is_alive():
            self.pusher = self.spawn_pusher()

    def stop(self) -> None:
        """Wait for tasks under way, but not for long: rows remember how far work came.

        django-q2 closes the queue of results as soon as its last word is in: fit for a process that reads from it, but
        a thread that still does would lose its end, and tasks that were done would be done again.
        """
        late = threading.Timer(STOPPING, self._end, ("What the queue was at goes on at its next start.", 0))
        late.daemon = True
        late.start()
        self.event_out.set()
        self.pusher.join()
        for _ in self.pool:
            self.task_queue.put("STOP")
        for process in self.pool:
            process.join()
        self.result_queue.put("STOP")
        self.monitor.join()
        late.cancel()

    def _end(self, why: str, code: int) -> None:
        """End at once, with the workers: an orderly end would wait for the lock that a killed one holds."""
        sys.stderr.write(f"{why}\n")
        for process in self.pool:
            process.kill()
        os._exit(code)


def _and_let_go(target: Callable[..., None], *args: Any) -> None:
    """Do a thread's work, and close what it had open."""
    try:
        target(*args)
    finally:
        connections.close_all()


def _leave_signals() -> None:
    """Have a worker end by the signal that its parent sends at a time-out, and leave Ctrl-C to the parent."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
