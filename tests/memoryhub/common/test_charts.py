"""Bars drawn from counts."""

from datetime import date

import pytest
from django.template.loader import render_to_string

from memoryhub.common.charts import HEIGHT, WIDTH, chart, money

DAYS = [(date(2026, 3, 1), 0), (date(2026, 3, 2), 1), (date(2026, 3, 3), 400)]


def test_the_largest_day_fills_the_height():
    assert chart("Messages", DAYS).bars[2].height == HEIGHT


def test_a_day_with_one_thing_stays_visible_beside_a_large_one():
    assert chart("Messages", DAYS).bars[1].height >= 3


def test_bars_stand_on_the_ground_and_inside_the_picture():
    drawn = chart("Messages", DAYS)
    assert all(round(bar.y + bar.height) == HEIGHT for bar in drawn.bars)
    assert drawn.bars[-1].x + drawn.bars[-1].width <= WIDTH


def test_a_chart_of_nothing_can_be_drawn():
    assert chart("Messages", [(day, 0) for day, _ in DAYS]).total == 0


def test_a_chart_of_nothing_says_none_and_counts_no_most():
    shown = render_to_string("_chart.html", {"chart": chart("Messages", [(day, 0) for day, _ in DAYS])})
    assert 'aria-label="Messages by day: none"' in shown
    assert "at most" not in shown


def test_a_chart_tells_its_first_and_last_day():
    assert chart("Messages", DAYS).days == (DAYS[0][0], DAYS[2][0])


@pytest.mark.parametrize(
    ("dollars", "said"), [(0, "$0.00"), (0.0004, "under $0.01"), (0.014, "$0.01"), (1234.5, "$1,234.50")]
)
def test_a_little_money_is_not_none(dollars, said):
    assert money(dollars) == said
    assert chart("Money", [(DAYS[0][0], dollars)], say=money).most_label == said
