"""Small caches: of questions that several threads ask at once, and of texts, so that each is embedded once."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")


class Shared(Generic[T]):
    """Keeps up to `size` results for `seconds`, by the hash of the text; failures are not kept."""

    def __init__(
        self, *, size: int = 2_048, seconds: float = 3_600.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._size, self._seconds, self._clock = size, seconds, clock
        self._kept: OrderedDict[int, tuple[float, Future[T]]] = OrderedDict()
        self._lock = Lock()

    def get(self, text: str, work: Callable[[], T]) -> T:
        """Return the result for `text`: kept, under way in another thread, or worked out here."""
        key = hash(text)
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


class Passages:
    """Asks for texts in batches, and for each text once: the vectors of the last few hundred are kept.

    They are kept by the hash of their text, so that what a member had erased is not kept here.
    """

    def __init__(self, *, batch: int, size: int = 512) -> None:
        self._batch, self._size = batch, size
        self._kept: dict[int, NDArray[np.float32]] = {}

    def get(
        self, texts: Sequence[str], dimensions: int, embed: Callable[[list[str]], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        """Return (n, dimensions) vectors; `embed` gives those of a batch."""
        import numpy as np

        wanted = {hash(text): text for text in texts}
        found = {key: kept for key in wanted if (kept := self._kept.get(key)) is not None}
        missing = [key for key in wanted if key not in found]
        for at in range(0, len(missing), self._batch):
            batch = missing[at : at + self._batch]
            found |= zip(batch, embed([wanted[key] for key in batch]), strict=True)
        if len(self._kept) + len(missing) > self._size:
            self._kept.clear()
        self._kept |= {key: found[key] for key in missing[: self._size]}
        return np.array([found[hash(text)] for text in texts], np.float32).reshape(len(texts), dimensions)
