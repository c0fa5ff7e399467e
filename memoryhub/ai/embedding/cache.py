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
    """Keeps up to `size` results for `seconds` (000: 256 query vectors, one minute); failures are not kept."""

    def __init__(self, *, size: int = 256, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._size, self._seconds, self._clock = size, seconds, clock
        self._kept: OrderedDict[str, tuple[float, Future[T]]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str, work: Callable[[], T]) -> T:
        """Return the result for `key`: kept, under way in another thread, or worked out here."""
        future, mine = self._claim(key)
        if mine:
            self._fill(key, future, work)
        return future.result()

    def _claim(self, key: str) -> tuple[Future[T], bool]:
        with self._lock:
            made, future = self._kept.get(key, (0.0, None))
            if future is not None and self._clock() - made < self._seconds:
                return future, False
            self._kept.pop(key, None)
            fresh: Future[T] = Future()
            self._kept[key] = (self._clock(), fresh)
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)
            return fresh, True

    def _fill(self, key: str, future: Future[T], work: Callable[[], T]) -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised again in each thread that waits
            with self._lock:
                self._kept.pop(key, None)
            future.set_exception(error)
