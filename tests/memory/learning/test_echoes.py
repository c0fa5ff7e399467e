"""What memory puts around a line is taken off before the line is compared."""

from __future__ import annotations

import pytest

from memory.index import writing
from memory.learning import echoes
from tests.factories import make_member, make_message, make_note


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


@pytest.mark.django_db
def test_what_a_note_tells_is_known_although_many_talks_speak_of_the_same():
    told, bob = "Alice keeps the old red kayak in the shed.", make_member(name="Bob")
    long = make_message("The harbour was grey that day. " * 100, author=bob)
    notes = [make_note("Boats", messages=[long], summary=f"On 1 May 2026.\n{told}")]
    said = "Kayak, old kayak, red kayak: keep the kayak in the shed. "
    notes += [make_note(f"Talk {number}", messages=[make_message(said * 3, author=bob)]) for number in range(12)]
    writing.index_notes(notes)
    line = echoes._line(told, make_message(told, author=bob))
    assert notes[0].pk in echoes.Known([line]).near["note"][line][echoes.NEAREST :]
    assert echoes.Known([line]).has(line)
