"""A conversation of any size fits into one question to a model, and what carries it stays."""

from datetime import UTC, datetime, timedelta

from memoryhub.ai import Line
from notes.writing.prompts import LONGEST, MOST_CHARS, fitting, note_prompt
from notes.writing.schemas import NoteInput

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def lines(*texts):
    return [
        Line(message=at, author=at % 3, name=f"Member{at % 3}", text=text, sent_at=NOON + timedelta(seconds=at))
        for at, text in enumerate(texts)
    ]


def test_a_conversation_that_fits_stays_as_it_is():
    said = lines("I live in Toronto.", "I work as a carpenter.")
    assert fitting(said) == said


def test_a_long_message_is_cut():
    (line,) = fitting(lines("word " * 20_000))
    assert len(line.text) <= LONGEST


def test_of_too_many_messages_those_that_carry_the_talk_stay_in_order():
    noise = ["lol " * 30] * 3_000
    said = lines(*noise[:1500], "I moved the big wooden boat to the island harbour last week.", *noise[1500:])
    kept = fitting(said)
    assert sum(len(line.text) for line in kept) <= MOST_CHARS
    assert any("wooden boat" in line.text for line in kept)
    assert [line.message for line in kept] == sorted(line.message for line in kept)


def test_a_question_about_five_thousand_messages_has_a_bounded_size():
    said = lines(*(f"Message {at} tells of the boat race number {at} and its winner." for at in range(5_000)))
    assert len(note_prompt(NoteInput(guild="North", channel="general", lines=said))) < MOST_CHARS + 2_000
