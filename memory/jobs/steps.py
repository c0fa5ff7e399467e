"""What the steps of long jobs share: a clock, and how a failure is written down."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from memoryhub.ai import ModelFailed
from memoryhub.db import leases
from memoryhub.db.leases import Lease

logger = logging.getLogger(__name__)

Clock = Callable[[], datetime]


def ticking(now: datetime) -> Clock:
    """Return a clock that starts at `now`; changes to the system's clock do not touch it."""
    started = time.monotonic()
    return lambda: now + timedelta(seconds=time.monotonic() - started)


def fail(row: Lease, error: Exception, what: str, *, now: datetime, **fields: Any) -> None:
    """End the step with what an operator may read: a model's failure explains itself, any other may quote a message.

    A provider that asks for a pause is given it; where anything else failed stands in the log.
    """
    words, wait = type(error).__name__, timedelta()
    if isinstance(error, ModelFailed):
        words, wait = str(error), timedelta(seconds=error.retry_after or 0)
    else:
        logger.error(what, exc_info=error, extra={"row": row.pk})
    leases.fail(row, error=words, now=now, wait=wait, **fields)
