"""Has several processes make the same calls at once, each with its own connection, as web and worker processes do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from django.conf import settings

from memory.lab.bench.timing import Run, Timing, timing

WARM_UP = 20  # calls before the clock runs: imports, statements, the pages that every search reads


class Crowd:
    """So many processes on one database, which wait for orders."""

    def __init__(self, database: Path, processes: int) -> None:
        environment = {
            **os.environ, "DATABASE_URL": f"sqlite:///{database}", "MEMORYHUB_LOG_LEVEL": "ERROR",
            "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
        }  # fmt: skip
        self._stack = ExitStack()
        self._workers = [
            self._stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "memory.lab.bench.processes"], cwd=settings.BASE_DIR,
                    env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                )
            )
            for _ in range(processes)
        ]  # fmt: skip

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, *_raised: object) -> None:
        for worker in self._workers:
            _send(worker, "")
        self._stack.close()

    def timing(self, what: str, *, facts: int, processes: int, calls: int) -> Timing:
        """Time so many calls, shared among so many of the processes, that begin together."""
        workers = self._workers[:processes]
        for number, worker in enumerate(workers):
            seed = f"{what} {number} of {processes}"
            _send(worker, json.dumps({"what": what, "facts": facts, "calls": max(1, calls // processes), "seed": seed}))
        for worker in workers:
            _receive(worker)  # it is ready
        for worker in workers:
            _send(worker, "go")
        return timing(what, [Run(**json.loads(_receive(worker))) for worker in workers], facts=facts)


def _send(worker: subprocess.Popen[str], line: str) -> None:
    assert worker.stdin is not None
    worker.stdin.write(f"{line}\n")
    worker.stdin.flush()


def _receive(worker: subprocess.Popen[str]) -> str:
    assert worker.stdout is not None
    line = worker.stdout.readline()
    if not line:
        raise RuntimeError("A process of the benchmark ended early; what it said is above.")
    return line


def work(*, what: str, facts: int, calls: int, seed: str, wait: Callable[[], object]) -> Run:
    """Warm up, wait for the others, and make the calls."""
    from memory.lab.bench.benchmark_guild import fake_embedder, key_of
    from memory.lab.bench.calls import call_for, questions
    from memory.lab.bench.timing import measured
    from memoryhub.community.identity import find_guild

    guild = find_guild(key_of(facts))
    with fake_embedder():
        call, inputs = call_for(what, guild), questions(guild, calls + WARM_UP, seed=seed)
        for each in inputs[:WARM_UP]:
            call(each)
        wait()
        return measured(call, inputs[WARM_UP:])


def main() -> None:
    """Do what each line of the input orders, until an empty one; print when ready, and at the end what it took."""
    import django

    django.setup()

    def wait() -> None:
        print("ready", flush=True)  # noqa: T201
        sys.stdin.readline()

    while order := sys.stdin.readline().strip():
        print(json.dumps(asdict(work(**json.loads(order), wait=wait))), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
