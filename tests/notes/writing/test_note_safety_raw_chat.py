"""What is a summary and what is the chat itself."""

import pytest

from memoryhub.ai.chat_fence import Line
from notes.writing.note_safety import is_raw
from tests.factories import NOON

SAID = [f"We should paint the {colour} boat before the regatta." for colour in ("red", "green", "blue", "white", "old")]
LINES = [Line(message=n, author=1, name="Alice", text=text, sent_at=NOON) for n, text in enumerate(SAID)]
MANY = [
    Line(message=n, author=1, name="Alice", text=f"Plank number {n} of the boat is rotten.", sent_at=NOON)
    for n in range(60)
]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(SAID),
        "\n".join(f"Alice: {text}" for text in SAID),
        " ".join(SAID).upper().replace(".", "!"),
        "[12] 2026-03-02 12:00 Alice: something else",
        "- [12] 2026-03-02 12:00 Alice: something else",
    ],
)
def test_the_chat_in_any_dress_is_the_chat(text):
    assert is_raw(text, LINES)


@pytest.mark.parametrize(
    "text",
    [
        "They want to paint five boats before the regatta.",
        SAID[0],
        "\n".join(SAID[:3]),
        "",
        "In 2026-03 they met [12].",
    ],
)
def test_a_summary_may_quote_a_little(text):
    assert not is_raw(text, LINES)


def test_four_neighbours_of_many_are_the_chat_and_four_apart_are_not():
    assert is_raw(" ".join(line.text for line in MANY[20:24]), MANY)
    assert not is_raw(" ".join(line.text for line in MANY[::10]), MANY)


def test_short_answers_prove_nothing():
    short = [Line(message=n, author=1, name="A", text="Yes, sure.", sent_at=NOON) for n in range(9)]
    assert not is_raw("Everybody said yes, sure.", short)
    assert not is_raw("Nothing.", [])
