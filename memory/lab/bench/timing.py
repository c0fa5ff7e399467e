"""Times calls: wall time at the middle and at the slow end, and the processor's time beside it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from memoryhub.db import throwaway

T = TypeVar("T")
PAGE = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one process measured: milliseconds of each call, its processor's milliseconds for all, when, how big it is.

    `start` and `end` are seconds of a clock that all processes share.
    """

    walls: list[float]
    cpu: float
    start: float
    end: float
    memory: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Milliseconds a call: half of the calls took at most `p50`, 95 of 100 at most `p95`; `cpu` is the mean.

    `per_second` is how many calls all processes together made in a second; `memory` is the largest one's megabytes.
    """

    what: str
    facts: int
    processes: int
    calls: int
    p50: float
    p95: float
    cpu: float
    per_second: int
    memory: int


def measured(call: Callable[[T], object], inputs: Sequence[T]) -> Run:
    """Call with each input and note what each call took."""
    walls, start, cpu = [], time.monotonic(), _processor()
    for each in inputs:
        begin = time.perf_counter()
        call(each)
        walls.append((time.perf_counter() - begin) * 1000)
    spent = (_processor() - cpu) * 1000
    return Run(walls=walls, cpu=spent, start=start, end=time.monotonic(), memory=memory_in_use())


def timing(what: str, runs: Sequence[Run], *, facts: int = 0, units: int = 1) -> Timing:
    """Put together what processes measured at the same time; with `units`, what one unit of a call's work took."""
    walls = sorted(wall / units for run in runs for wall in run.walls)
    elapsed = max(run.end for run in runs) - min(run.start for run in runs)
    calls = len(walls) * units
    return Timing(
        what=what, facts=facts, processes=len(runs), calls=calls,
        p50=round(walls[len(walls) // 2], 3), p95=round(walls[min(len(walls) - 1, int(len(walls) * 0.95))], 3),
        cpu=round(sum(run.cpu for run in runs) / calls, 3), per_second=round(calls / max(elapsed, 1e-9)),
        memory=round(max(run.memory for run in runs)),
    )  # fmt: skip


def timed(what: str, call: Callable[[T], object], inputs: Sequence[T], *, facts: int = 0, units: int = 1) -> Timing:
    """Call with each input in this process and return what one unit took."""
    return timing(what, [measured(call, inputs)], facts=facts, units=units)


def _processor() -> float:
    """Return the seconds of processor time of this process, and of the server's process that works for it."""
    return time.process_time() + throwaway.server_cpu()


def memory_in_use() -> float:
    """Return the megabytes of this process that are in memory now; 0 where the system does not say."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * PAGE / 1e6 if status.exists() else 0.0
