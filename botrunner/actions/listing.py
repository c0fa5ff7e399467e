"""A page of a list, as actions hand it to whoever shows it: what it is headed, its lines, and where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Line(NamedTuple):
    """A line, safe to show, and the heading under which it stands with its neighbours; "" for none."""

    text: str
    under: str = ""


@dataclass(frozen=True)
class Page:
    """A page: its head (the whole answer where there are no lines), its lines, a word below them, and its place."""

    head: str
    lines: Sequence[Line] = ()
    foot: str = ""
    number: int = 1
    last: int = 1


def place(page: int, total: int, *, a_page: int) -> tuple[int, int]:
    """Return the page nearest to the one asked for that there is, and the last one."""
    last = max(1, -(-total // a_page))
    return min(max(page, 1), last), last
