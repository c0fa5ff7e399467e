"""Time that goes on while a long job works, counted from the moment that its door passed in."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta

Clock = Callable[[], datetime]


def ticking(now: datetime) -> Clock:
    """Return a clock that shows `now` and goes on from there, whatever is done to the machine's own meanwhile."""
    started = time.monotonic()
    return lambda: now + timedelta(seconds=time.monotonic() - started)
