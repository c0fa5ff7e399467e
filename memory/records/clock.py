"""A clock for long jobs, which starts at the moment that the caller passed in as `now`."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta

Clock = Callable[[], datetime]


def ticking(now: datetime) -> Clock:
    """Return a clock that starts at `now`; changes to the system's clock do not touch it."""
    started = time.monotonic()
    return lambda: now + timedelta(seconds=time.monotonic() - started)
