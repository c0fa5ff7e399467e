"""What models cost by day, drawn: calls, tokens, money."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from memory.curation.statistics import DAYS, CallsOfDay
from memoryhub.common.charts import Chart, chart, count, money

DRAWN: Sequence[tuple[str, Callable[[CallsOfDay], float], Callable[[float], str]]] = (
    ("Calls of models", lambda each: each.calls, count),
    ("Tokens", lambda each: each.tokens_in + each.tokens_out, count),
    ("Money", lambda each: float(each.cost_usd), money),
)


def charts(calls: Sequence[CallsOfDay], *, until: date) -> list[Chart]:
    """Draw the 30 days up to this one."""
    days = [until - timedelta(days=back) for back in reversed(range(DAYS))]
    return [_chart(name, [(each.day, of(each)) for each in calls], days, say) for name, of, say in DRAWN]


def _chart(name: str, found: Sequence[tuple[date, float]], days: Sequence[date], say: Callable[[float], str]) -> Chart:
    sums = dict.fromkeys(days, 0.0)
    for day, number in found:
        if day in sums:
            sums[day] += number
    return chart(name, list(sums.items()), say=say)
