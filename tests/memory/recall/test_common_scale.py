import pytest

from memory.recall.common_scale import for_reading, for_weighing
from memory.recall.ranking import Candidate, Ranked
from tests.factories import NOON


def ranked(*scores, gate="lexical"):
    return [Ranked(Candidate("fact", place, "", NOON), score, {}, gate) for place, score in enumerate(scores)]


def test_a_fact_that_is_ahead_of_the_others_comes_before_a_note_of_its_score():
    (note,) = for_reading("note", ranked(0.8))
    assert for_reading("fact", ranked(0.8, *[0.4] * 9))[0] > note
    assert for_reading("fact", ranked(0.8, *[0.75] * 9))[0] < note


def test_the_further_ahead_a_fact_is_the_more_it_is_worth():
    near, far = (ranked(0.8, 0.7, *[least] * 9) for least in (0.6, 0.3))
    assert for_reading("fact", far)[0] > for_reading("fact", near)[0]


def test_a_fact_that_is_the_only_one_is_ahead_by_all_that_it_has():
    assert for_reading("fact", ranked(0.8))[0] > for_reading("fact", ranked(0.8, 0.4))[0]


def test_a_fact_that_fails_the_relevance_gate_is_ahead_of_nothing():
    passing, failing = (for_reading("fact", ranked(0.8, 0.4, gate=gate))[0] for gate in ("both", ""))
    assert failing < passing
    assert failing == for_reading("fact", ranked(0.8, 0.3, gate=""))[0]


def test_facts_stay_in_their_order_and_none_has_less_than_nothing():
    compared = for_reading("fact", ranked(0.9, 0.5, 0.5, 0.2, 0.0))
    assert (compared, compared[-1]) == (sorted(compared, reverse=True), 0.0)


@pytest.mark.parametrize("kind", ["fact", "note", "message"])
def test_of_lines_that_are_weighed_others_change_nothing(kind):
    assert for_weighing(kind, ranked(0.8, 0.6))[0] == for_weighing(kind, ranked(0.8))[0]
    assert for_weighing(kind, []) == for_reading(kind, []) == []
