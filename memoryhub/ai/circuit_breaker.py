"""A circuit breaker that all processes share: what failed lately is left alone, and tried again in the background."""

from __future__ import annotations

import time
from concurrent.futures import Future
from typing import Any

from django.core.cache import caches

from memoryhub.ai.model_errors import ModelFailed

FIRST_PAUSE, LONGEST_PAUSE = 5.0, 300.0  # seconds; each failure in a row doubles the one before
A_TRY = 40.0  # seconds after which a try counts as lost: longer than a request takes
KEPT = 86_400  # seconds

clock = time.time  # the wall's: processes have no other in common


def is_open(service: str) -> bool:
    """Say whether the service failed lately and did not answer since."""
    return caches["outages"].get(_key(service)) is not None


def may_try(service: str) -> bool:
    """Say whether the caller is the one to try again: the pause is over, and nobody else tries now."""
    _, over = caches["outages"].get(_key(service)) or (0, 0.0)
    return clock() >= over and caches["outages"].add(_key(service, "try"), over, A_TRY)


def note(service: str, failure: ModelFailed | None) -> None:
    """Leave a service alone that failed: longer each time, and no less than it asks for. Use one again that answered.

    What the request itself brought about says nothing of the service.
    """
    failures, _ = caches["outages"].get(_key(service)) or (0, 0.0)
    if failure and (failure.again or failure.permanent):
        pause = max(min(FIRST_PAUSE * 2**failures, LONGEST_PAUSE), failure.retry_after or 0.0)
        caches["outages"].set(_key(service), (failures + 1, clock() + pause), KEPT)
    elif failures:
        caches["outages"].delete(_key(service))
    if failures:
        caches["outages"].delete(_key(service, "try"))


def note_result(service: str, attempt: Future[Any]) -> None:
    """Do the same for what nobody waited for."""
    error = attempt.exception()
    note(service, error if isinstance(error, ModelFailed) else None)


def forget() -> None:
    """Take every service for one that works: an operator asks, who may have mended it."""
    caches["outages"].clear()


def _key(service: str, what: str = "failed") -> str:
    return f"circuit-breaker:{what}:{service}"
