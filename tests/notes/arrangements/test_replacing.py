"""A later decision on the same matter stands for the earlier one; a plan is moved, called off, or only said again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from notes.arrangements.replacing import Said, standing_for
from tests.factories import NOON, days


def rows(*texts, **fields):
    """Return rows said a day apart; "@3" at the end of a text is a plan for so many days after noon."""
    found = []
    for number, text in enumerate(texts, start=1):
        text, _, day = text.partition("@")
        due = NOON + days(float(day)) if day else None
        changes = {"moved": "moved", "postponed": "moved", "called off": "called_off", "cancelled": "called_off"}
        change = next((kind for word, kind in changes.items() if word in text), "")
        found.append(
            Said(
                pk=number, text=text, said_at=NOON + days(number / 10), place=1, decided="decided" in text,
                change=change, due_at=due, day=due.date() if due else None, **fields,
            )
        )  # fmt: skip
    return found


def standing(*texts):
    return standing_for(rows(*texts))


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("We decided on the red tent.", "We decided on the blue tent."),
        ("We decided on the red tent.", "We have decided: the yellow tent instead."),
        ("We decided that the harbour festival gets lanterns.", "We decided: no lanterns at the harbour festival."),
    ],
)
def test_a_later_decision_on_the_matter_stands_for_the_earlier(first, later):
    assert standing(first, later) == {1: 2}


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("We decided on the red tent.", "We decided that Bob cooks."),
        ("We decided on the red tent.", "We decided to buy poles of steel for the tent next year."),
        ("We decided to use Postgres.", "We decided to use lanterns."),
    ],
)
def test_decisions_on_different_matters_both_stand(first, later):
    assert standing(first, later) == {}


def test_the_last_of_three_stands_for_both():
    assert standing(
        "We decided on the red tent.", "We decided on the blue tent.", "We decided on the green tent."
    ) == {1: 3, 2: 3}  # fmt: skip


@pytest.mark.parametrize(
    "later", ["The picnic is moved to Sunday@5", "It's moved to Sunday@5", "The picnic is called off", "It's cancelled",
              "The picnic is postponed"],
)  # fmt: skip
def test_a_change_stands_for_the_plan(later):
    assert standing("The picnic is on Saturday@4", later) == {1: 2}


@pytest.mark.parametrize("later", ["The picnic is now on Sunday@5", "The picnic is on Sunday now.@5"])
def test_a_plan_that_is_told_as_it_is_now_stands_for_the_one_before(later):
    assert standing("The picnic is on Saturday@4", later) == {1: 2}


def test_now_elsewhere_in_a_sentence_changes_no_plan():
    assert standing("The raid is on Friday@3", "The raid on Saturday needs two healers now, and a tank@4") == {}


def test_it_is_moved_means_the_plan_that_was_told_of_last():
    assert standing("The picnic is on Saturday@4", "The raid is on Friday@3", "It's moved to Sunday@5") == {2: 3}


def test_a_plan_that_is_named_is_meant_whatever_was_told_of_last():
    assert standing("The picnic is on Saturday@4", "The raid is on Friday@3", "The picnic is moved@5") == {1: 3}


def test_it_is_moved_means_nothing_in_another_channel_or_long_after():
    picnic, moved = rows("The picnic is on Saturday@9", "It's moved to Sunday@9")
    there, later = replace(moved, place=2), replace(moved, said_at=NOON + days(4))
    assert standing_for([picnic, there]) == standing_for([picnic, later]) == {}


def test_plans_of_one_name_on_different_days_are_two():
    assert standing("The raid is on Friday@3", "The raid is on Saturday@4") == {}


def test_a_plan_that_is_only_said_again_is_one():
    assert standing("The picnic by the harbour is on Saturday@4", "See you at the picnic on Saturday@4") == {2: 1}
    assert standing("The picnic by the harbour is on Saturday@4", "Nobody swims on Saturday at our picnic@4") == {2: 1}
    assert standing("Picnic on Saturday@4", "The picnic by the harbour is on Saturday at two@4") == {1: 2}


def test_what_is_over_is_changed_by_nothing():
    over, later = rows("The picnic is on Saturday@0.1", "The picnic is moved to Sunday@9")
    assert standing_for([over, replace(later, said_at=NOON + days(5))]) == {}


def test_a_plan_on_the_last_day_of_the_calendar_is_compared():
    never, later = rows("The picnic is on some day", "The picnic is moved to Sunday@9")
    assert standing_for([replace(never, due_at=datetime.max.replace(tzinfo=UTC)), later]) == {1: 2}


def test_nothing_of_another_matter_is_called_off():
    assert standing("The picnic is on Saturday@4", "The concert is called off") == {}


def test_the_number_of_a_day_is_no_matter_of_its_own():
    assert standing_for(rows("dinner on friday@3", "moved it to the 14th@5")) == {1: 2}
