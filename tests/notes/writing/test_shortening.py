from datetime import UTC, datetime

import pytest

from memoryhub.ai.chat_fence import Line
from notes.writing.key_sentences import Sentence, terms
from notes.writing.shortening import parts, shortened

NOON = datetime(2026, 2, 23, 12, 0, tzinfo=UTC)


def apart(text: str) -> list[str]:
    line = Line(message=1, author=1, name="Alice", text=text, sent_at=NOON)
    return [part.text for part in parts([Sentence(line, text, tuple(terms(text)))])]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I moved to Oslo - it was a long drive", ["I moved to Oslo", "it was a long drive"]),
        ("I moved to Oslo, and I'm looking for a boat", ["I moved to Oslo", "I'm looking for a boat"]),
        ("I moved to Oslo because I work there", ["I moved to Oslo", "I work there"]),
        ("I moved to Oslo, it's great", ["I moved to Oslo"]),
        ("If it comes to that, I'd have to sell the boat", ["If it comes to that, I'd have to sell the boat"]),
        ("Wow, since the last race, I've mended the hull", ["Wow, since the last race, I've mended the hull"]),
        ("Last week, I sailed home and it was windy all day", ["Last week, I sailed home", "it was windy all day"]),
        ("I quit - I'm out", ["I quit - I'm out"]),
        ("My brother lives in Oslo, he drives a tram", ["My brother lives in Oslo, he drives a tram"]),
        ("I went to Oslo, and I'm looking for a boat", ["I went to Oslo", "I'm looking for a boat"]),
        ("I dont sail, and I'm looking for a boat", ["I dont sail, and I'm looking for a boat"]),
        ("My parents came and they loved the boat", ["My parents came and they loved the boat"]),
        ("My two sisters and I sail to Oslo", ["My two sisters and I sail to Oslo"]),
        ("I bought the bread and the butter", ["I bought the bread and the butter"]),
        ("I meant to move to Oslo, but I fell ill", ["I meant to move to Oslo, but I fell ill"]),
        ("I don't think they came and it's over", ["I don't think they came and it's over"]),
        ("I didn't leave because I was tired", ["I didn't leave because I was tired"]),
        ("My boat (it is red, and I'm proud of it) leaks", ["My boat (it is red, and I'm proud of it) leaks"]),
        ("Did you move to Oslo - is it great?", ["Did you move to Oslo - is it great?"]),
    ],
)
def test_a_sentence_is_taken_apart_where_each_part_stands_by_itself(said, told):
    assert apart(said) == told


def test_a_part_is_weighed_by_its_own_words():
    line = Line(message=1, author=1, name="Alice", text="", sent_at=NOON)
    text = "I moved to Oslo - the ferry takes bikes"
    first, second = parts([Sentence(line, text, tuple(terms(text)))])
    assert (first.terms, second.terms) == (tuple(terms("moved Oslo")), tuple(terms("ferry takes bikes")))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Well, I really love the very old boat.", "I love the old boat."),
        ("the boat is so fast", "the boat is fast"),
        ("the boat is so fast that we won", "the boat is so fast that we won"),
        ("I have so many boats", "I have so many boats"),
        ("I moved the boat, Bob!", "I moved the boat!"),
        ("I missed the boat but.", "I missed the boat"),
        ("I met Bob.", "I met Bob."),
        ("the contract says so.", "the contract says so."),
        ("I sail at nine or so", "I sail at nine or so"),
        ("she can't moan about that", "she can't moan about that"),
        ("I know that", "I know"),
        ("Just in, sorry", "Just in, sorry"),
        ("It's not just painful", "It's not just painful"),
        ("we're out on the 14th btw, they have a concert", "we're out on the 14th, they have a concert"),
        ("I left early, lol.", "I left early."),
        ("I play lol on fridays", "I play lol on fridays"),
        ("I don't sail tho", "I don't sail"),
        ("(he is my neighbour)", "he is my neighbour"),
        ("(he) is my neighbour (yes)", "(he) is my neighbour (yes)"),
        ("I can't really sail", "I can't really sail"),
    ],
)
def test_filling_words_go_where_nothing_is_denied_or_measured(said, told):
    assert shortened(said, ["Bob Miller", ""]) == told
