"""Small bar charts as numbers that a template draws as SVG; no script, no inline style."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    count: float
    label: str


@dataclass(frozen=True)
class Chart:
    """A row of bars under a name, with what a reader who can't see it is told."""

    name: str
    bars: Sequence[Bar]
    total: float
    total_label: str
    most_label: str
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def days(self) -> tuple[date, date]:
        """Return the first and the last day."""
        return self.bars[0].day, self.bars[-1].day

    @property
    def middle(self) -> date:
        """Return the day in the middle of the axis."""
        return self.bars[len(self.bars) // 2].day


def count(number: float) -> str:
    """Write a count so that it can be read."""
    return f"{number:,.0f}"


def money(dollars: float) -> str:
    """Write US dollars; a sum that is less than a cent is no nothing."""
    return f"${dollars:,.2f}" if dollars >= 0.01 or not dollars else "under $0.01"


def chart(name: str, days: Sequence[tuple[date, float]], *, say: Callable[[float], str] = count) -> Chart:
    """Return the chart of at least one day's numbers; a day with anything at all stays visible."""
    most, total = max(number for _, number in days), sum(number for _, number in days)
    step, bars = WIDTH / len(days), []
    for place, (day, number) in enumerate(days):
        height = max(3.0, HEIGHT * number / most) if number else 1.0
        x, y, width = round(place * step, 2), round(HEIGHT - height, 2), round(step - GAP, 2)
        bars.append(Bar(x, y, width, round(height, 2), day, number, say(number)))
    return Chart(name, bars, total, say(total), say(most))
