"""Which language a line is in."""

import pytest

from memoryhub import language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("I live in a small house by the sea", "en"),
        ("ich wohne mit meiner Katze in Berlin", "de"),
        ("vivo en Madrid con mi perro desde hace un año", "es"),
        ("j'habite à Lyon avec ma sœur et mon chat", "fr"),
        ("eu moro em Lisboa com meu cachorro e minha irmã", "pt"),
        ("東京に住んでいる", "ja"),
        ("나는 서울에 산다", "ko"),
        ("我住在北京", "zh"),
        ("я живу в Москве уже пять лет", "ru"),
    ],
)
def test_a_line_of_four_words_or_of_its_own_script_tells_its_language(text, code):
    assert language.detect(text) == code


@pytest.mark.parametrize("text", ["", "ok", "lol nice one", "😂😂😂😂"])
def test_a_short_line_is_not_guessed(text):
    assert language.detect(text) is None
