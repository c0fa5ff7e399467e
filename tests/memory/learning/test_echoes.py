"""What memory puts around a line is taken off before the line is compared."""

from __future__ import annotations

import pytest

from memory.learning import echoes


@pytest.mark.parametrize(
    ("line", "speaker", "words"),
    [
        ("- Alice lives in Toronto. [#1, #2]", "", "Alice lives in Toronto."),
        ("- Alice lives in Toronto. (general, 2026-03-01) [#1]  ", "", "Alice lives in Toronto."),
        ("[2026-03-01 12:00] Alice: I live in Toronto.", "Alice", "I live in Toronto."),
        ("Alice moved (in spring).", "", "Alice moved (in spring)."),
        ("Alice likes lists [a]b]", "", "Alice likes lists [a]b]"),
        ("]", "", "]"),
    ],
)
def test_a_line_is_bared_of_marks_sources_and_speaker(line, speaker, words):
    assert echoes._bare(line) == (speaker, words)


@pytest.mark.parametrize("inside", [" ", "[x]", "(2026-03-01)", "(2026-03-01", "[", ")"])
def test_a_line_of_endless_spaces_or_brackets_is_bared_in_one_pass(inside):
    # A pattern that tries anew at each of them would take hours.
    line = f"I live in{inside * 1_000_000}Toronto."
    assert echoes._bare(line) == ("", line)
    assert len(echoes._bare(f"Toronto{inside * 1_000_000}")[1]) <= len(line)
