"""Words in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub import language


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World!", ["hello", "world"]),
        ("don’t stop", ["don't", "stop"]),
        ("Alice's café", ["alice", "café"]),
        ("Straße ÉCOLE", ["strasse", "école"]),
        ("я живу в Москве", ["я", "живу", "в", "москве"]),
        ("東京に", ["東京", "京に"]),
        ("猫", ["猫"]),
        ("iPhone 15", ["iphone", "15"]),
        ("ＦＵＬＬ", ["full"]),
        ("😂 !!!", []),
        ("snake_case", ["snake", "case"]),
        ("", []),
    ],
)
def test_text_becomes_folded_words(text, words):
    assert language.tokens(text) == words


def test_content_leaves_out_small_words_of_several_languages():
    assert language.content("the cat and the dog, el perro y la casa") == ["cat", "dog", "perro", "casa"]


@pytest.mark.parametrize("word", ["son", "war", "hat", "man"])
def test_a_small_word_elsewhere_that_is_full_in_english_stays(word):
    assert language.content(word) == [word]


@pytest.mark.parametrize(
    "words", [("moves", "moved", "moving"), ("city", "cities"), ("running", "runs"), ("painter", "painters")]
)
def test_forms_of_one_word_share_a_stem(words):
    assert len({language.stem(word) for word in words}) == 1


def test_a_short_or_foreign_word_is_its_own_stem():
    assert (language.stem("bus"), language.stem("привет")) == ("bus", "привет")


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_text_of_plain_letters_only_is_cut_like_any_other(text):
    assert language.tokens(f"{text} é") == [*language.tokens(text), "é"]


@given(st.text())
def test_each_word_and_its_stem_are_a_part_of_the_folded_text(text):
    folded = language.folded(text)
    assert [token for token in language.tokens(text) if token not in folded] == []
    assert [token for token in language.tokens(text) if language.stem(token) not in folded] == []


@given(st.text(alphabet="abdeginrsty'’s éAB東京 ", max_size=60))
def test_stems_of_likely_words_are_a_part_of_the_folded_text(text):
    assert [token for token in language.tokens(text) if language.stem(token) not in language.folded(text)] == []
