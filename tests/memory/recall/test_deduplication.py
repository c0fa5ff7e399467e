import pytest

from memory.recall.deduplication import says, says_the_same, without_repeats
from memory.recall.ranking import rank
from memoryhub.language.same_statement import meaning
from tests.memory.candidates import asked, candidate, order


def shown(rows, limit):
    return order(without_repeats(rank(rows, criteria=asked("where")), limit=limit))


def test_what_says_the_same_is_shown_once():
    rows = [
        candidate(1, "Lives in Toronto.", semantic=0.9),
        candidate(2, "lives in Toronto", semantic=0.89),
        candidate(3, "Lives in Toronto.", semantic=0.88, subject=9),
        candidate(4, "Born in 1990.", semantic=0.87),
        candidate(5, "Born in 1991.", semantic=0.86),
    ]
    assert shown(rows, 10) == [1, 3, 4, 5]


def test_the_limit_counts_what_is_shown():
    rows = [candidate(number, "Lives in Toronto.", semantic=0.9) for number in (1, 2, 3)]
    rows.append(candidate(4, "Owns a cat.", semantic=0.8))
    assert shown(rows, 2) == [3, 4]


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("Lives in Toronto.", "lives in Toronto", True),
        ("Lives in Toronto.", "Lives in Rome.", False),
        ("Likes coffee.", "Doesn't like coffee.", False),
        ("Ran 10 km on the old trail by the lake in May.", "Ran 12 km on the old trail by the lake in May.", False),
        ("🙂", "🎉", False),
    ],
)
def test_texts_say_the_same_with_the_same_words_numbers_and_denials(first, second, alike):
    assert says_the_same(meaning(first), meaning(second)) is alike


@pytest.mark.parametrize(
    ("whole", "part", "told"),
    [
        ("Alice lives in Porto", "Lives in Porto.", True),
        ("Has a dog named Biscuit", "Has a dog.", True),
        ("Has a dog.", "Has a dog named Biscuit", False),
        ("Has 3 dogs and a cat", "Has 2 dogs and a cat", False),
        ("Lives in Porto", "Doesn't live in Porto", False),
    ],
)
def test_a_text_may_say_what_another_does_and_little_more(whole, part, told):
    assert says(meaning(whole), meaning(part)) is told
