from datetime import UTC, datetime

import pytest

from memoryhub.ai.chat_fence import Line
from notes.writing.header import body, day_only, header, parted

EVENING = datetime(2026, 2, 23, 18, 5, tzinfo=UTC)
LINES = [Line(message=1, author=1, name="Alice", text="hi", sent_at=EVENING)]


def test_what_a_talk_was_about_stands_behind_its_time():
    assert header(LINES, ["Alice", "Bob"], ["rye", "oats"]) == (
        "Alice and Bob talked at 18:05 on 23 February 2026 about rye and oats."
    )


@pytest.mark.parametrize(
    "first",
    [
        header(LINES, ["Alice", "Bob"]),
        header(LINES, ["Alice", "Bob"], ["rye"]),
        "Alice wrote at 18:05 on 23 February 2026, also about rye and oats.",
        day_only(EVENING),
        "Alice and Bob talked about rye on 23 February 2026 at 18:05.",
        "Alice wrote on 23 February 2026 at 18:05.",
    ],
)
def test_a_first_line_of_this_or_an_earlier_release_is_parted_from_the_rest(first):
    assert parted(f"{first}\nAlice moved.") == (first, "Alice moved.")


def test_the_body_is_what_neither_the_title_nor_the_first_line_say():
    first = header(LINES, ["Alice", "Bob"])
    assert body("Alice moved", f"{first}\nAlice moved.\nBob sails.") == "Bob sails."
    assert body("Alice moved", f"{first}\nAlice moved.") == f"{first}\nAlice moved."


@pytest.mark.parametrize("first", ["Alice moved.", "On Sunday they talked.", ""])
def test_a_note_in_free_words_has_no_first_line(first):
    assert parted(f"{first}\nAlice moved.") == ("", f"{first}\nAlice moved.")
