"""What an address says, and what it does not."""

from datetime import date

import pytest
from django.http import QueryDict

from memoryhub.common import address


@pytest.mark.parametrize(
    ("text", "read"), [("12", 12), (None, None), ("", None), ("-1", None), ("٣", None), ("9" * 30, None)]
)
def test_a_row_id_is_read_from_digits_only(text, read):
    assert address.number(text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2026-03-02", date(2026, 3, 2)), ("", None), ("yesterday", None), ("2026-02-30", None),
        ("0001-01-01", None), ("9999-12-31", None),
    ],
)  # fmt: skip
def test_a_day_is_one_of_the_calendar_that_has_neighbours(text, read):
    assert address.day(text) == read


def test_words_are_cut_and_hold_nothing_that_a_database_refuses():
    assert address.words(QueryDict("q=%20sai%00ling%20boats"), "q", most=7) == "sailing"
    assert address.words(QueryDict(""), "q", most=7) == ""
