"""The kinds of the designs that memoryhub joins map to ours as the docs say."""

import re
from pathlib import Path

import pytest

from memory.facts.kinds import KINDS, kind_of
from memory.facts.schemas import Candidate
from memory.models import Fact

PAGE = Path(__file__).parents[3] / "docs" / "memory.md"
ROWS = re.findall(r"^\| ([a-z' ]+) \| (\w+) \| (\w+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize(("design", "theirs", "ours"), ROWS)
def test_a_designs_kind_is_ours_as_the_table_says(design, theirs, ours):
    assert kind_of(theirs) == ours


def test_the_table_names_every_kind_and_no_other():
    assert {theirs for _, theirs, _ in ROWS} == {name for names in KINDS.values() for name in names}
    assert len([design for design, _, _ in ROWS if design == "assistant's facts"]) == 10


def test_the_kinds_are_those_of_the_table_of_facts():
    assert set(KINDS) == set(Fact.Kind.values)


@pytest.mark.parametrize(
    ("said", "kept"), [("Preferences", "preference"), ("general", "other"), ("mood", "other"), (None, "other")]
)
def test_a_model_s_word_for_a_kind_never_costs_the_answer(said, kept):
    assert Candidate(text="Likes tea.", subject=1, quote="tea", messages=[1], kind=said).kind == kept
