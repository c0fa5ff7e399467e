"""How far long work has come: whoever starts it hands in what it tells that to."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is in all."""


def untold(_what: str, _done: int, _all: int) -> None:
    """Tell nobody."""
