"""A name in another tongue is the same name: a translated fact is grounded by languages, countries and cities."""

import subprocess
import sys

import pytest

from memoryhub.language import named_elsewhere, place_names
from memoryhub.safety import share_said, supported

TRANSLATED = [
    ("Lives in Munich.", "ich wohne in München"),
    ("Lives in Munich.", "Ich wohne jetzt in münchen, ist super hier"),
    ("Speaks German.", "ich spreche Deutsch"),
    ("Lives in Vienna.", "ich lebe seit drei Jahren in Wien"),
    ("Lives in Moscow.", "я живу в Москве"),
    ("Lives in Moscow.", "ich wohne in Moskau"),
    ("Lives in Tokyo.", "東京に住んでいます"),
    ("Lives in Cologne.", "ich wohne in Köln"),
    ("Moved to Florence.", "mi sono trasferita a Firenze"),
    ("Comes from Spain.", "soy de España"),
    ("Speaks French.", "je parle français"),
    ("Speaks Japanese.", "日本語を話せます"),
    ("Lives in Germany.", "vivo en Alemania"),
    ("Vive en Múnich.", "I live in Munich"),
    ("Wohnt in Wien.", "I live in Vienna with my cat"),
    ("Lives in Warsaw.", "mieszkam w Warszawa"),
    ("Lives in Beijing.", "我住在北京"),
    ("Lives in Rome.", "vivo a Roma"),
    ("Lives in Munich.", "я живу в Мюнхене"),
    ("Lives in Milan.", "abito a Milano con mia sorella"),
    ("Learns Spanish.", "ich lerne gerade Spanisch"),
    ("Speaks Russian.", "я говорю по-русски"),
    ("Lives in Seoul.", "저는 서울에 살아요"),
    ("Lives in Cairo.", "أعيش في القاهرة"),
    ("Lives in Athens.", "μένω στην Αθήνα με τον αδερφό μου"),
    ("Wohnt in München.", "I moved to Munich last year"),
]

SHORT = [
    ("Is 27 years old.", "j'ai 27 ans"), ("Has three brothers.", "j'ai trois frères"),
    ("Is 31 years old.", "tengo 31 años"), ("Doesn't eat meat.", "não como carne"),
]  # fmt: skip
ELSEWHERE = [
    ("Lives in Paris.", "I live in Lyon"),
    ("Lives in Munich.", "ich wohne in Köln"),
    ("Lives in Vienna.", "ich bin in Lyon und trinke Wein"),
    ("Lives in Vienna.", "je bois du vin à Lyon"),
    ("Speaks German.", "ich spreche Englisch"),
    ("Speaks French.", "ich spreche Deutsch"),
    ("Lives in Tokyo.", "大阪に住んでいます"),
    ("Lives in Rome.", "vivo in Romania da tre anni"),
    ("Lives in India.", "я живу в Индиане"),
    ("Lives in Moscow.", "я живу в Киеве"),
    ("Comes from Spain.", "soy de Portugal"),
    ("Vive en Múnich.", "I live in London"),
    ("Wohnt in Wien.", "I live in Berlin with my cat"),
    ("Lives in Beijing.", "我住在上海"),
    ("Lives in Cologne.", "ich wohne in Bonn"),
    ("Lives in Berlin.", "ich wohne in Wien"),
    ("Lives in Vienna.", "I love vine tomatoes"),
    ("Speaks Russian.", "я говорю по-немецки"),
]


@pytest.mark.parametrize(("fact", "message"), TRANSLATED)
def test_a_translated_name_is_the_name_that_was_said(fact, message):
    assert supported(fact, message)


@pytest.mark.parametrize(("fact", "message"), SHORT)
def test_a_few_words_of_another_language_are_translated_too(fact, message):
    assert supported(fact, message)


@pytest.mark.parametrize("message", ["j'ai 28 ans", "I have 27 cats", "27 cats"])
def test_another_number_or_thing_is_not(message):
    assert not supported("Is 27 years old.", message)


@pytest.mark.parametrize(("fact", "message"), ELSEWHERE)
def test_no_other_place_and_no_other_language_passes_for_it(fact, message):
    assert not supported(fact, message)


def test_a_name_that_is_a_common_word_elsewhere_needs_its_capital():
    assert named_elsewhere("Vienna", "Ich wohne in Wien.", tongues=["de"])
    assert named_elsewhere("Vienna", "the city of Vine", tongues=["en"])
    assert not named_elsewhere("Vienna", "a vine in my garden", tongues=["en"])


def test_in_a_script_with_cases_a_name_may_end_otherwise_but_not_go_on():
    assert named_elsewhere("India", "я был в Индии", tongues=["en", "ru"])
    assert not named_elsewhere("India", "я был в Индиане", tongues=["en", "ru"])


def test_a_language_that_nobody_describes_has_no_names():
    assert not named_elsewhere("Germany", "xx", tongues=["not a language", "qq"])


def test_what_was_said_in_another_tongue_counts_as_said():
    assert share_said("Speaks German.", "ich spreche Deutsch") == 0.5


def test_names_that_were_said_ask_for_no_other_tongue():
    said = "from memoryhub.safety import supported; import sys; assert supported('Lives in Oslo.', 'I live in Oslo')"
    told = subprocess.run(
        [sys.executable, "-c", f"{said}; print('babel' in sys.modules)"], capture_output=True, timeout=120
    )
    assert told.stdout.split() == [b"False"]


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("moving to leipzig in may", "moving to Leipzig in may"),
        ("from munich to leipzig", "from Munich to Leipzig"),
        ("years in buenos aires", "years in Buenos Aires"),
        ("from leeds but in lyon now", "from Leeds but in lyon now"),
        ("i went to reading and to a munich bar", "i went to reading and to a munich bar"),
    ],
)
def test_a_place_in_small_letters_is_written_with_a_capital(said, written):
    assert place_names.with_capitals(said) == written
