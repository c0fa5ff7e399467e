"""Turns of the threads that answer questions: of each process few are at work at once, so that who writes comes soon.

A thread that holds the database's only write lock asks for Python's lock again after each statement, and got it after
all others: with seven at work, storing a message held the write lock for 60 ms in place of 10, and a few messages a
second filled it. Questions take more time than anything else that is asked, so it is they that wait for each other.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

AT_WORK = 2  # one makes the most of its core; with two a long answer does not hold up all others

_free = threading.BoundedSemaphore(AT_WORK)
_mine = threading.local()


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a turn, and keep it for this block."""
    with _free:
        _mine.taken = True
        try:
            yield
        finally:
            _mine.taken = False


@contextmanager
def given_up() -> Iterator[None]:
    """Let others work meanwhile, where this thread has a turn: it waits for somebody outside this process."""
    if not getattr(_mine, "taken", False):
        yield
        return
    _mine.taken = False
    _free.release()
    try:
        yield
    finally:
        _free.acquire()
        _mine.taken = True
