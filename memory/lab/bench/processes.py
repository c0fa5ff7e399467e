"""Has several processes make the same calls at once, each with its own connection, as web and worker processes do."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from threading import Barrier

from memory.lab.bench.timing import Run, Timing, measured, timing

WARM_UP = 20  # calls before the clock runs: imports, statements, the pages that every search reads
PATIENCE = 600.0  # seconds until the slowest process is ready


class Crowd:
    """So many processes on one database, which wait for orders."""

    def __init__(self, address: str, processes: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._barriers = context.Manager()
        self._pool = ProcessPoolExecutor(processes, context, initializer=_set_up, initargs=(address,))

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, *_raised: object) -> None:
        self._pool.shutdown()
        self._barriers.shutdown()

    def timing(self, what: str, *, facts: int, processes: int, calls: int) -> Timing:
        """Time so many calls, shared among so many of the processes, that begin together."""
        ready = self._barriers.Barrier(processes)
        seeds = [f"{what} {number} of {processes}" for number in range(processes)]
        runs = [self._pool.submit(work, what, facts, max(1, calls // processes), seed, ready) for seed in seeds]
        return timing(what, [run.result() for run in runs], facts=facts)


def _set_up(address: str) -> None:
    """Point a new process at the database, before it reads the settings."""
    import django

    os.environ |= {
        "DATABASE_URL": address, "MEMORYHUB_LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
    }  # fmt: skip
    django.setup()


def work(what: str, facts: int, calls: int, seed: str, ready: Barrier) -> Run:
    """Warm up, wait for the others, and make the calls."""
    from memory.lab.bench.benchmark_guild import fake_embedder, key_of
    from memory.lab.bench.calls import call_for, questions
    from memoryhub.community.identity import find_guild

    guild = find_guild(key_of(facts))
    with fake_embedder():
        call, inputs = call_for(what, guild), questions(guild, calls + WARM_UP, seed=seed)
        for each in inputs[:WARM_UP]:
            call(each)
        ready.wait(PATIENCE)
        return measured(call, inputs[WARM_UP:])
