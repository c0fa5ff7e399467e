"""A small cache of results that several threads ask for at once: each is worked out by one of them."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Shared(Generic[T]):
    """Keeps up to `size` results for `seconds`; failures are not kept."""

    def __init__(self, *, size: int = 256, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._size, self._seconds, self._clock = size, seconds, clock
        self._kept: OrderedDict[str, tuple[float, Future[T]]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str, work: Callable[[], T]) -> T:
        """Return the result for `key`: kept, under way in another thread, or worked out here."""
        with self._lock:
            made_at, kept = self._kept.get(key, (0.0, None))
            if kept is None or self._clock() - made_at >= self._seconds:
                kept = None
                future: Future[T] = Future()
                self._kept.pop(key, None)
                self._kept[key] = (self._clock(), future)
                if len(self._kept) > self._size:
                    self._kept.popitem(last=False)
        if kept is not None:
            return kept.result()
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised again in each thread that waits
            with self._lock:
                self._kept.pop(key, None)
            future.set_exception(error)
        return future.result()
