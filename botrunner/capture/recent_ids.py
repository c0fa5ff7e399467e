"""Remembers the newest ids it was given, and only so many."""

from __future__ import annotations

MOST = 10_000


class Recent:
    """A set that lets go of its oldest members."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._ids: dict[int, None] = {}

    def add(self, number: int) -> None:
        """Remember an id."""
        self._ids[number] = None
        if len(self._ids) > self.most:
            del self._ids[next(iter(self._ids))]

    def __contains__(self, number: int) -> bool:
        return number in self._ids
