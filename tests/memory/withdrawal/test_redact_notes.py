"""Notes whose words retention let go lose the lines of who goes, and keep what the others said."""

from __future__ import annotations

import pytest

from memory import erasure, pipeline
from memory.withdrawal import redact_notes, retention
from memoryhub.community.models import Guild
from notes.models import InteractionNote, Message
from profiles.models import EntrySource
from tests.factories import NOON, days, make_entry, make_member, minutes
from tests.incoming import north, say

pytestmark = pytest.mark.django_db
LATER = NOON + days(90)
BOAT = "The boat needs a new mast before the summer, and I ordered the wood for it."
HARBOUR = "The harbour opens again in April, after they repaired the long wooden pier there."


@pytest.fixture
def note() -> InteractionNote:
    """Return the note of a talk whose messages' texts are let go."""
    for number, (author, text) in enumerate((("Alice", BOAT), ("Bob", HARBOUR))):
        say(text, author, id=f"m-{number}", at=NOON + minutes(number))
    pipeline.digest(None, now=NOON + minutes(60))
    pipeline.learn_waiting("batch", now=NOON + minutes(70))
    retention.apply_to_guild(north(), now=LATER)
    assert not Message.objects.exclude(text="").exists()
    return InteractionNote.objects.get()


def left() -> InteractionNote:
    pipeline.digest(None, now=LATER + minutes(60))
    return InteractionNote.objects.get()


def test_what_the_others_said_stays_when_a_message_goes_whose_talk_can_not_be_read_again(note):
    assert "mast" in note.summary
    pipeline.delete(north(), message_ids=["m-0"], now=LATER)
    kept = left()
    assert "harbour" in kept.summary
    assert "mast" not in f"{kept.title} {kept.summary}"
    assert [str(member) for member in kept.participants.all()] == ["Bob"]


@pytest.mark.django_db(transaction=True)
def test_an_erasure_leaves_the_others_lines_and_no_trace(note):
    receipt = erasure.erase_now(make_member(north(), name="Alice"), now=LATER, by="command")
    kept = left()
    assert "harbour" in kept.summary
    assert "Alice" not in f"{kept.title} {kept.summary}"
    assert receipt.scan["traces"] == 0


def test_lines_in_the_third_person_and_what_was_decided_go_with_who_said_it(note):
    told = (
        "Alice and Bob talked on 2 March 2026 at 12:00.", "Decided: Alice: we sail on Sunday.",
        "Planned: Alice: The mast comes on Friday. (Friday 6 March 2026)",
        "Open: Bob: who brings the map?", "Alice moved to Porto and has a dog.",
        "Bob works at the mill. He told Alice about it. The wheel turns.", "Alice asked: where is the harbour?",
    )  # fmt: skip
    InteractionNote.objects.update(summary="\n".join(told))
    Message.objects.update(text="", let_go_at=NOON)
    note.refresh_from_db()
    assert redact_notes.redact([note], authors={make_member(name="Alice").pk})
    note.refresh_from_db()
    assert note.summary.splitlines()[1:] == [
        "Open: Bob: who brings the map?",
        "Bob works at the mill. The wheel turns.",
    ]


def test_the_day_that_stays_is_the_guilds_own(note):
    Guild.objects.update(time_zone="Pacific/Auckland")
    pipeline.delete(north(), message_ids=["m-0"], now=LATER)
    assert left().summary.splitlines()[0] == "On 3 March 2026."


def test_a_note_in_free_words_goes(note):
    InteractionNote.objects.update(summary="They talked.\nShe needs a mast for the boat, he knew of the harbour.")
    pipeline.delete(north(), message_ids=["m-0"], now=LATER)
    assert not InteractionNote.objects.exists()


def test_lines_of_the_others_profiles_keep_it_as_their_source(note):
    for name in ("Alice", "Bob"):
        make_entry("Knows the sea", member=make_member(north(), name=name), notes=[note])
    pipeline.delete(north(), message_ids=["m-0"], now=LATER)
    cited = EntrySource.objects.filter(entry__text="Knows the sea")
    assert [str(source.entry.profile.member) for source in cited] == ["Bob"]


def test_a_talk_that_can_be_read_again_is_written_anew():
    for number, (author, text) in enumerate((("Alice", BOAT), ("Bob", f"{HARBOUR} {HARBOUR}"))):
        say(text, author, id=f"m-{number}", at=NOON + minutes(number))
    pipeline.digest(None, now=NOON + minutes(60))
    pipeline.delete(north(), message_ids=["m-0"], now=NOON + minutes(90))
    assert not InteractionNote.objects.exists()
    assert "mast" not in left().summary
