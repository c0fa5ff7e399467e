"""How the failure of a step of a long job is written down."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from memoryhub.ai import ModelFailed
from memoryhub.db import leases
from memoryhub.db.leases import Lease

logger = logging.getLogger(__name__)


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
