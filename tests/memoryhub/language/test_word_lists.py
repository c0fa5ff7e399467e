"""Lists of words are read from data files."""

from __future__ import annotations

from memoryhub.language.word_lists import load


def test_a_data_file_holds_a_list_under_each_heading(tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("# What for.\n\n[greetings]\n# said first\nhi hello\nhey\n\n[thanks]\nthx\n", encoding="utf-8")
    assert load(file) == {"greetings": {"hi", "hello", "hey"}, "thanks": {"thx"}}
