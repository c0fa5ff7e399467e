"""Lists of words and patterns are read from data files."""

from __future__ import annotations

import re

import pytest

from memoryhub.language.word_lists import load, pattern, rows


def test_a_data_file_holds_a_list_under_each_heading(tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("# What for.\n\n[greetings]\n# said first\nhi hello\nhey\n\n[thanks]\nthx\n", encoding="utf-8")
    assert load(file) == {"greetings": {"hi", "hello", "hey"}, "thanks": {"thx"}}


def test_rows_keep_their_order_and_an_indented_line_goes_on(tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("[pets]\ndog\n# small\nguinea pig\n\n[shapes]\n^has a\n    (?:dog\n    |cat)$\n[a-z] x\n")
    assert rows(file) == {"pets": ["dog", "guinea pig"], "shapes": ["^has a(?:dog|cat)$", "[a-z] x"]}


def test_a_pattern_takes_lists():
    found = pattern("^has a{0,2} (?:{pets})$", {"pets": ["guinea pig", "{dogs}"], "dogs": ["dog"]})
    assert found.pattern == "^has a{0,2} (?:guinea pig|dog)$"
    assert found.flags & re.IGNORECASE


def test_alternatives_at_a_words_border_are_put_together_where_any_of_them_will_do():
    lists = {"told": [r"\bowes?|paid", r"\bhas (?:{sum})\b", r"[|(\]]|\bdebt"], "sum": ["one|two"]}
    found, plain = pattern("(?:{any:told})", lists), pattern("(?:{told})", lists)
    assert found.pattern == r"(?:paid|[|(\]]|\b(?:owes?|has (?:one|two)\b|debt))"
    texts = ("he owes", "unpaid", "has two", "shas two", "has twofold", "a]", "in debt", "indebt", "")
    assert [bool(found.search(text)) for text in texts] == [bool(plain.search(text)) for text in texts]
    assert pattern("{any:told}", {"told": ["one", "two"]}).pattern == "one|two"


def test_a_list_that_is_not_there_is_an_error():
    with pytest.raises(KeyError):
        pattern("{fish}", {"pets": ["cat"]})
