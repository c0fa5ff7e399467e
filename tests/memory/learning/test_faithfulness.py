"""A fact that says something else than its words is refused, and one that says the same in other words is not."""

from __future__ import annotations

import time

import pytest

from memory.learning.faithfulness import unfaithful
from tests.factories import NOON


@pytest.mark.parametrize(
    ("said", "told", "reason"),
    [
        ("I don't open the pharmacy til 10 on Tuesdays", "Opens the pharmacy at 10 on Tuesdays.", None),
        ("I never start work until about 9:30", "Starts work at 9:30.", None),
        ("I don't drink wine until Easter", "Drinks wine.", "negation"),
        ("I won't eat meat till 30 May", "Eats meat.", "negation"),
    ],
)
def test_not_until_an_hour_is_no_denial(said, told, reason):
    assert unfaithful(told, said, said, said_at=NOON) == reason


def test_what_stands_behind_a_colon_does_not_deny_what_stands_before_it():
    said = "as a pharmacist: no it isn't"
    assert unfaithful("Is a pharmacist.", "as a pharmacist", said, said_at=NOON) is None


@pytest.mark.parametrize(
    ("said", "year", "reason"),
    [
        ("since that crash in November I cycle with a helmet", NOON.year - 1, None),
        ("since that crash in November I cycle with a helmet", NOON.year - 2, "wrong date"),
        ("after the course in November I cycle with a helmet", NOON.year - 1, "wrong date"),
    ],
)
def test_what_holds_since_a_month_may_have_begun_last_year(said, year, reason):
    assert unfaithful(f"Cycles with a helmet since November {year}.", said, said, said_at=NOON) == reason


def test_a_flood_of_one_word_takes_no_time():
    said = "I move in December. " + "since " * 4_000
    begin = time.thread_time()
    assert unfaithful("Moves in December 1999.", "I move in December", said, said_at=NOON) == "wrong date"
    assert time.thread_time() - begin < 3
