"""Long replies in messages that Discord takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botrunner.chat.split import MOST, split


def test_a_short_text_is_one_message():
    assert split("Hello.") == ["Hello."]


def test_nothing_is_no_message():
    assert split("  \n ") == []


def test_a_long_text_is_cut_between_paragraphs():
    first, second = "a" * 1500, "b" * 1500
    assert split(f"{first}\n\n{second}") == [first, second]


def test_a_code_block_is_closed_and_opened_again():
    parts = split("```python\n" + "x = 1\n" * 600 + "```")
    assert len(parts) > 1
    assert all(part.count("```") == 2 for part in parts)
    assert parts[1].startswith("```python\n")


@pytest.mark.parametrize("sign", ["a", "🦊", "語"])
def test_a_text_without_a_border_is_cut_all_the_same(sign):
    assert "".join(split(sign * 5000)) == sign * 5000


@given(st.text(max_size=400), st.integers(20, 60))
def test_no_part_is_too_long_and_none_is_empty(text, most):
    parts = split(text, most=most)
    assert all(0 < len(part) <= most for part in parts if "```" not in text)


def test_the_limit_is_discords():
    assert MOST == 2000
