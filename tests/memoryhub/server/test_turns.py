"""Turns of those who answer questions: few at once, and nobody keeps one while it waits for a provider."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from memoryhub.ai import event_loop
from memoryhub.server import turns

PATIENCE = 20  # seconds


def in_threads(count: int, work: Callable[[], object]) -> list[threading.Thread]:
    """Start so many threads that do this with a turn."""

    def with_a_turn() -> None:
        with turns.turn():
            work()

    started = [threading.Thread(target=with_a_turn, daemon=True) for _ in range(count)]
    for thread in started:
        thread.start()
    return started


def all_end(threads: list[threading.Thread]) -> bool:
    for thread in threads:
        thread.join(PATIENCE)
    return not any(thread.is_alive() for thread in threads)


def test_no_more_than_a_few_are_at_work_and_all_come() -> None:
    at_work, most, go_on = [], [], threading.Semaphore(0)

    def work() -> None:
        at_work.append(1)
        most.append(len(at_work))
        go_on.acquire()
        at_work.pop()

    threads = in_threads(3 * turns.AT_WORK, work)
    go_on.release(len(threads))
    assert all_end(threads)
    assert len(most) == len(threads)
    assert max(most) <= turns.AT_WORK


def test_who_waits_for_a_provider_lets_others_work() -> None:
    others = threading.Event()

    async def provider() -> bool:
        return await asyncio.to_thread(others.wait, PATIENCE)

    waiting = in_threads(turns.AT_WORK, lambda: event_loop.run(provider))
    assert all_end(in_threads(1, others.set))
    assert all_end(waiting)


def test_who_has_no_turn_waits_for_none() -> None:
    held = threading.Event()
    threads = in_threads(turns.AT_WORK, held.wait)
    with turns.given_up():
        pass
    held.set()
    assert all_end(threads)
