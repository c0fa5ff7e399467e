"""Chat into sentences."""

import pytest

from memoryhub import language


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I live in Oslo. It rains!", ["I live in Oslo.", "It rains!"]),
        ("one\ntwo", ["one", "two"]),
        ("I work at St. Mary's with Dr. Who.", ["I work at St. Mary's with Dr. Who."]),
        ("no. I live at no. 5 now", ["no.", "I live at no. 5 now"]),
        ("It is 3.5 km", ["It is 3.5 km"]),
        ("J. R. Hartley wrote it. Twice.", ["J. R. Hartley wrote it.", "Twice."]),
        ("e.g. cats", ["e.g. cats"]),
        ("東京に住んでいる。猫がいる。", ["東京に住んでいる。", "猫がいる。"]),
        ("wait... what?! ok", ["wait...", "what?!", "ok"]),
        ("me and I. Then you", ["me and I.", "Then you"]),
        ("I'm engaged 💍 his name is Bo", ["I'm engaged 💍", "his name is Bo"]),
        ("one hen died :( it was Dot", ["one hen died :(", "it was Dot"]),
        ("I really ❤️ my dog", ["I really ❤️ my dog"]),
        ("I 💚 my dog", ["I 💚 my dog"]),
        ("Wir spielen am 14. März. Kommt!", ["Wir spielen am 14. März.", "Kommt!"]),
        ("Lötabend ist am 24. um 19 Uhr. Kommt!", ["Lötabend ist am 24. um 19 Uhr.", "Kommt!"]),
        ("Do 24. wieder hier", ["Do 24. wieder hier"]),
        ("Wir treffen uns am 24. Bringt was mit", ["Wir treffen uns am 24.", "Bringt was mit"]),
        ("i had 24. then i lost one", ["i had 24.", "then i lost one"]),
        ("  \n ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, parts):
    assert language.sentences(text) == parts


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("see https://example.com/a?b=c now", "see now"),
        ("run `rm -rf` or ```x\ny``` please", "run or please"),
        ("nice <:party:1234567>", "nice :party:"),
        ("a\n\n b", "a b"),
    ],
)
def test_code_and_links_are_cleaned_away(text, cleaned):
    assert " ".join(language.clean(text).split()) == cleaned
