from datetime import UTC, datetime

import pytest

from memory.recall.time_filter import named_periods, said_in

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def said(day):
    return datetime.fromisoformat(f"{day}T12:00:00+00:00")


@pytest.mark.parametrize(
    ("question", "then", "not_then"),
    [
        ("Where was Alice last summer?", "2025-07-20", "2025-03-20"),
        ("What did Bob buy on 3 June 2025?", "2025-06-03", "2025-06-02"),
        ("What did Bob buy on 3 June 2025?", "2025-06-09", "2025-07-01"),
        ("What happened in May 2025?", "2025-06-02", "2025-09-02"),
        ("What did she do last year?", "2025-12-24", "2024-12-24"),
        ("What did she do yesterday?", "2026-03-01", "2026-02-27"),
        ("What has she done since 2025?", "2026-03-02", "2024-12-31"),
        ("What did they plan before 10 April 2025?", "2025-04-03", "2025-04-10"),
    ],
)
def test_a_question_asks_about_a_time_and_what_is_told_soon_after(question, then, not_then):
    periods = named_periods(question, NOW.date())
    assert said_in(said(then), periods)
    assert not said_in(said(not_then), periods)


def test_a_question_without_a_time_asks_about_none():
    assert named_periods("Who owns a kayak?", NOW.date()) == ()
    assert not said_in(NOW, ())


@pytest.mark.parametrize("question", ["What is due on 9999-12-31?", "What was before 0001-01-01?"])
def test_a_question_may_name_the_first_or_the_last_day_of_the_calendar(question):
    assert named_periods(question, NOW.date()) == ()
