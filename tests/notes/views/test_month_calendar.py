"""The sheet of a month: whole weeks from Monday, its days only, shades by how much fell on each."""

from datetime import date

import pytest

from notes.views.month_calendar import first_of, month_of, span_of


@pytest.mark.parametrize(
    ("first", "last", "weeks"),
    [(date(2026, 2, 1), 28, 5), (date(2027, 2, 1), 28, 4), (date(2024, 2, 1), 29, 5), (date(2026, 8, 1), 31, 6)],
)
def test_a_month_has_its_days_in_whole_weeks(first, last, weeks):
    sheet = month_of(first, {}, earlier=None, later=None)
    days = [day for week in sheet.weeks for day in week]
    assert len(sheet.weeks) == weeks
    assert all(len(week) == 7 and week[0].day.weekday() == 0 for week in sheet.weeks)
    assert [day.day.day for day in days if day.within] == list(range(1, last + 1))
    assert span_of(first) == (first, first.replace(day=last))
    assert sheet.total == 0


def test_a_fuller_day_has_a_deeper_shade_and_other_months_count_for_nothing():
    counts = {date(2026, 3, 1): 8, date(2026, 3, 2): 1, date(2026, 3, 3): 5, date(2026, 4, 1): 99}
    sheet = month_of(date(2026, 3, 1), counts, earlier=date(2026, 1, 21), later=None)
    levels = {day.day.day: day.level for week in sheet.weeks for day in week if day.within}
    assert (levels[1], levels[2], levels[3], levels[4]) == (4, 1, 3, 0)
    assert sheet.total == 14
    assert (sheet.earlier, sheet.later) == (first_of(date(2026, 1, 1)), None)
