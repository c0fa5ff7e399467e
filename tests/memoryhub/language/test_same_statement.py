"""Whether two statements say the same, one says the other, or one tells again what was refused."""

from __future__ import annotations

import pytest

from memoryhub.language.same_statement import meaning, repeats, same, says


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Likes jazz", "likes jazz!", True),
        ("Likes jazz", "Does not like jazz", False),
        ("Lives in Oslo", "Lives in Rome", False),
        ("京都に住んでいます。", "京都に住んでいます", True),
    ],
)
def test_the_same_is_said_in_nearly_the_same_words_and_the_same_sense(one, other, alike):
    assert same(meaning(one), meaning(other)) == alike


@pytest.mark.parametrize(
    ("whole", "part", "holds"),
    [
        ("Has a dog named Bento", "Has a dog", True),
        ("Lives in Oslo, works at the harbour", "Lives in Oslo", True),
        ("Has a dog", "Has a dog named Bento", False),
        ("Used to live in Oslo", "Lives in Oslo", False),
    ],
)
def test_a_statement_says_what_it_begins_with(whole, part, holds):
    assert says(meaning(whole), meaning(part)) == holds


@pytest.mark.parametrize(
    ("refused", "said", "told_again"),
    [
        ("Likes jazz", "Is a big fan of jazz", True),
        ("Likes jazz", "Really loves jazz", True),
        ("Likes jazz", "Hates jazz", False),
        ("Likes jazz", "Tends the bar of the jazz club in town", False),
        ("Lives in Oslo", "Is living in Oslo", True),
        ("Lives in Oslo", "Works in Oslo", False),
        ("Lives in Oslo", "Lives in Rome", False),
        ("Has a dog named Bento", "Owns a dog called Bento", True),
    ],
)
def test_what_was_refused_is_known_again_in_other_words(refused, said, told_again):
    assert repeats(meaning(refused), meaning(said)) == told_again
