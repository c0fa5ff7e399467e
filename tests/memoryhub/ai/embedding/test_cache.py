"""The cache of results that threads share."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from memoryhub.ai.embedding.cache import Shared


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_result_is_worked_out_once_an_hour() -> None:
    clock = Clock()
    shared: Shared[float] = Shared(clock=clock)
    assert shared.get("a", clock) == 0.0
    clock.now = 3_599.0
    assert shared.get("a", clock) == 0.0
    clock.now = 3_600.0
    assert shared.get("a", clock) == 3_600.0


def test_the_oldest_result_makes_room() -> None:
    shared: Shared[str] = Shared(size=2)
    for key in "abc":
        shared.get(key, lambda: "first")
    assert [shared.get(key, lambda: "second") for key in "cba"] == ["first", "first", "second"]


def test_threads_that_ask_at_once_share_one_piece_of_work() -> None:
    shared: Shared[int] = Shared()
    started, go_on = threading.Event(), threading.Event()
    done: list[int] = []

    def work() -> int:
        started.set()
        go_on.wait()
        done.append(1)
        return 42

    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(shared.get, "a", work)
        started.wait()
        others = [threads.submit(shared.get, "a", work) for _ in range(2)]
        go_on.set()
        assert [first.result(), *(other.result() for other in others)] == [42, 42, 42]
    assert done == [1]


def test_a_failure_is_raised_and_not_kept() -> None:
    shared: Shared[int] = Shared()
    with pytest.raises(ZeroDivisionError):
        shared.get("a", lambda: 1 // 0)
    assert shared.get("a", lambda: 1) == 1
