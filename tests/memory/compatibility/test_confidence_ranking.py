from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from memory.compatibility.confidence_ranking import (
    CHARACTERS,
    COMPOSER_CHARACTERS,
    COMPOSER_FACTS,
    established_first,
    selected,
)
from memory.models import Fact
from memory.recall.ranking import Criteria, rank
from tests.memory.candidates import NOW, candidate, order


@dataclass(frozen=True)
class Known:
    text: str
    confidence: float
    said_at: datetime = NOW
    last_reinforced_at: datetime | None = None


def texts(facts):
    return [each.text for each in facts]


def select(facts, **limits):
    return texts(selected(facts, line=lambda each: each.text, **limits))


def test_the_numbers_are_kept():
    assert (CHARACTERS, COMPOSER_FACTS, COMPOSER_CHARACTERS) == (4_000, 20, 1_500)


def test_established_facts_come_before_observations_and_surer_before_less_sure():
    given = [Known("observed", 0.59), Known("established", 0.6), Known("sure", 1.0), Known("guessed", 0.3)]
    assert texts(established_first(given)) == ["sure", "established", "observed", "guessed"]


def test_of_equally_sure_facts_the_one_heard_last_comes_first():
    old = NOW - timedelta(days=90)
    given = [
        Known("old", 0.7, said_at=old),
        Known("newer", 0.7, said_at=NOW - timedelta(days=9)),
        Known("said again", 0.7, said_at=old, last_reinforced_at=NOW),
    ]
    assert texts(established_first(given)) == ["said again", "newer", "old"]


def test_each_group_ends_at_its_first_line_that_does_not_fit():
    given = [
        Known("x" * 10, 1.0), Known("y" * 40, 0.9), Known("z", 0.8),
        Known("o" * 10, 0.5), Known("p" * 40, 0.4), Known("q", 0.3),
    ]  # fmt: skip
    assert select(given, characters=30) == ["x" * 10, "o" * 10]


@pytest.mark.parametrize(("characters", "kept"), [(11, 1), (10, 0), (0, 0), (22, 2)])
def test_the_line_break_counts(characters, kept):
    assert len(select([Known("x" * 10, 1.0), Known("y" * 10, 0.9)], characters=characters)) == kept


def test_at_most_so_many_facts_are_taken():
    assert select([Known(str(number), 1.0 - number / 100) for number in range(30)], most=COMPOSER_FACTS) == [
        str(number) for number in range(20)
    ]


def test_facts_of_the_table_can_be_put_in_order():
    known = [Fact(text="Observed.", confidence=0.4, said_at=NOW), Fact(text="Sure.", confidence=0.7, said_at=NOW)]
    assert texts(established_first(known)) == ["Sure.", "Observed."]


def test_the_preset_puts_surer_and_newer_ones_first_whatever_was_asked():
    rows = [
        candidate(1, "Lives in Toronto.", semantic=0.9, words=9.0, confidence=0.4),
        candidate(2, "Owns a cat.", confidence=0.7, age=400),
        candidate(3, "Plays chess.", confidence=0.7, age=2),
    ]
    ranked = rank(rows, criteria=Criteria(question="where", now=NOW), preset="seed002")
    assert order(ranked) == [3, 2, 1]
    assert [each.score for each in ranked] == [0.7, 0.7, 0.4]
