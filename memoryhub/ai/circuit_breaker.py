"""A circuit breaker that all processes share: what failed lately is left alone, and tried again in the background."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from django.core.cache import caches
from django.db import connections

from memoryhub.ai.model_errors import ModelFailed

FIRST_PAUSE, LONGEST_PAUSE = 5.0, 300.0  # seconds; each failure in a row doubles the one before
A_TRY = 40.0  # seconds after which a try counts as lost: longer than a request takes
KEPT = 86_400  # seconds

clock = time.time  # the wall's: processes have no other in common


def is_open(service: str) -> bool:
    """Say whether the service failed lately and did not answer since."""
    return caches["shared"].get(_key(service)) is not None


def may_try(service: str) -> bool:
    """Say whether the caller is the one to try again: the pause is over, and nobody else tries now."""
    _, over = caches["shared"].get(_key(service)) or (0, 0.0)
    return clock() >= over and caches["shared"].add(_key(service, "try"), over, A_TRY)


def note(service: str, failure: ModelFailed | None) -> None:
    """Leave a service alone that failed: longer each time, and no less than it asks for. Use one again that answered.

    What the request itself brought about says nothing of the service.
    """
    failures, _ = caches["shared"].get(_key(service)) or (0, 0.0)
    if failure and not failure.of_the_words:
        pause = max(min(FIRST_PAUSE * 2**failures, LONGEST_PAUSE), failure.retry_after or 0.0)
        caches["shared"].set(_key(service), (failures + 1, clock() + pause), KEPT)
    elif failures:
        caches["shared"].delete(_key(service))
    if failures:
        caches["shared"].delete(_key(service, "try"))


def try_again(service: str, work: Callable[[], object]) -> None:
    """Do in a thread of its own what nobody waits for, and note how it ends."""

    def trying() -> None:
        try:
            work()
        except ModelFailed as failure:
            note(service, failure)
        else:
            note(service, None)
        finally:
            connections.close_all()  # the cache may be the database

    threading.Thread(target=trying, name="memoryhub-try", daemon=True).start()


def forget(service: str) -> None:
    """Take the service for one that works: an operator asks, who may have mended it."""
    caches["shared"].delete_many([_key(service), _key(service, "try")])


def _key(service: str, what: str = "failed") -> str:
    return f"circuit-breaker:{what}:{service}"
