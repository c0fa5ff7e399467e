"""The quick look before the rules: it leaves out only what they would let stand."""

from itertools import product

import pytest

from memory.facts.normalization import normalize
from memory.facts.schemas import ConsolidationInput, Decision, KnownFact
from memory.rules import decide, related
from tests.memory.rules import test_decider as cases

MORE = [
    "Favourite month is May.", "Favourite month is June.", "Lives in New York.", "Moved away from New York.",
    "喜欢日本料理", "讨厌日本料理", "Любит чай.", "Does not like tea.", "Don't.", "Is.", "Has a PlayStation.",
]  # fmt: skip
TEXTS = sorted(
    {
        text
        for test in vars(cases).values()
        for mark in getattr(test, "pytestmark", [])
        if mark.name == "parametrize"
        for pair in mark.args[1]
        for text in pair
    }.union(MORE)
)


def is_related(new, known):
    return related(new)(known, normalize(known))


def test_nothing_is_left_out_on_which_the_rules_would_act():
    known = [KnownFact(id=number, subject=1, text=text) for number, text in enumerate(TEXTS)]
    for new in TEXTS:
        test = related(new)
        for decision in decide(ConsolidationInput(new=new, old=known)).decisions:
            if decision != Decision(action="KEEP", fact=decision.fact):
                assert test(TEXTS[decision.fact], normalize(TEXTS[decision.fact])), (new, TEXTS[decision.fact])


def test_most_of_what_they_would_let_stand_is_left_out():
    pairs = list(product(TEXTS, TEXTS))
    kept = [pair for pair in pairs if is_related(*pair)]
    assert len(kept) < len(pairs) / 6


@pytest.mark.parametrize(
    ("new", "known"),
    [
        ("Bought a PS5.", "Has a PlayStation."),
        ("Is vegan.", "Loves steak."),
        ("Moved to Berlin.", "Lives in Toronto."),
        ("No longer plays tennis.", "Plays tennis on Sundays."),
    ],
)
def test_what_may_end_or_repeat_a_fact_is_related_to_it(new, known):
    assert is_related(new, known)


def test_different_things_are_not_related():
    assert not is_related("Plays chess.", "Lives in Toronto.")


def test_all_facts_of_a_member_are_looked_through_as_each_would_be():
    known = [normalize(text) for text in TEXTS]
    for new in TEXTS:
        test = related(new)
        assert test.among("") == []
        assert test.among("|".join(known)) == [place for place, text in enumerate(known) if test.words(text)], new
        plain = [text for text in known if text.isascii()]
        assert test.among("|".join(plain)) == [place for place, text in enumerate(plain) if test.words(text)], new
