"""Proper names."""

import pytest

from memoryhub import language


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Works at St Mary's Hospital in Toronto.", ["St Mary's Hospital", "Toronto"]),
        ("Loves hiking on Sundays in May", ["Sundays"]),
        ("said I'm late to Bob's", ["Bob"]),
        ("nothing here", []),
        ("Visited São Paulo and Århus", ["São Paulo", "Århus"]),
    ],
)
def test_names_are_words_with_a_capital_inside_a_sentence(text, found):
    assert language.names(text) == found
