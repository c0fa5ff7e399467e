"""Times calls: wall time at the middle and at the slow end, and the processor's time beside it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
PAGE = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Milliseconds a call: half of the calls took at most `p50`, 95 of 100 at most `p95`; `cpu` is the mean."""

    what: str
    facts: int
    calls: int
    p50: float
    p95: float
    cpu: float

    @property
    def per_second(self) -> float:
        """Return how many such calls one process makes in a second of its processor."""
        return 1000 / self.cpu if self.cpu else 0.0


def timed(what: str, call: Callable[[T], object], inputs: Sequence[T], *, facts: int = 0, units: int = 1) -> Timing:
    """Call with each input and return what one call took; with `units`, what one unit of its work took."""
    walls, cpu = [], time.process_time()
    for each in inputs:
        start = time.perf_counter()
        call(each)
        walls.append((time.perf_counter() - start) * 1000 / units)
    spent = (time.process_time() - cpu) * 1000 / len(inputs) / units
    walls.sort()
    slow = walls[min(len(walls) - 1, int(len(walls) * 0.95))]
    return Timing(
        what=what, facts=facts, calls=len(walls) * units, p50=round(walls[len(walls) // 2], 3), p95=round(slow, 3),
        cpu=round(spent, 3),
    )  # fmt: skip


def memory_in_use() -> float:
    """Return the megabytes of this process that are in memory now; 0 where the system does not say."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * PAGE / 1e6 if status.exists() else 0.0


def disk_in_use(database: Path) -> int:
    """Return the bytes of a database with its log."""
    return sum(path.stat().st_size for path in database.parent.glob(f"{database.name}*"))
