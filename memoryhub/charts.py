"""Small bar charts as numbers that a template draws as SVG; no script, no inline style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

WIDTH, HEIGHT, GAP = 300, 56, 2


@dataclass(frozen=True)
class Bar:
    """One day's bar: where it stands and what it says."""

    x: float
    y: float
    width: float
    height: float
    day: date
    count: int


@dataclass(frozen=True)
class Chart:
    """A row of bars under a name, with what a reader who can't see it is told."""

    name: str
    bars: Sequence[Bar]
    total: int
    most: int
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def days(self) -> tuple[date, date]:
        """Return the first and the last day."""
        return self.bars[0].day, self.bars[-1].day


def chart(name: str, days: Sequence[tuple[date, int]]) -> Chart:
    """Return the chart of at least one day's counts; a day with anything at all stays visible."""
    most = max(count for _, count in days)
    step = WIDTH / len(days)
    bars = [_bar(place * step, step - GAP, day, count, most) for place, (day, count) in enumerate(days)]
    return Chart(name, bars, sum(count for _, count in days), most)


def _bar(x: float, width: float, day: date, count: int, most: int) -> Bar:
    height = max(3.0, HEIGHT * count / most) if count else 1.0
    return Bar(round(x, 2), round(HEIGHT - height, 2), round(width, 2), round(height, 2), day, count)
