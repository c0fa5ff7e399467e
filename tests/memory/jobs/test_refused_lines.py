"""A refused entry keeps its text no longer than there are words that it could come back from."""

from __future__ import annotations

import pytest

from memory import pipeline
from notes.models import Message
from profiles.models import ProfileEntry
from tests.factories import NOON, make_entry, minutes
from tests.incoming import north, say

pytestmark = pytest.mark.django_db
LATER = NOON + minutes(60)
REFUSED = ProfileEntry.Status.REFUSED


@pytest.fixture
def line() -> ProfileEntry:
    """Return a refused line that no fact says, on the note of a talk in which Alice said it once."""
    said = (
        "A sister dances in the opera of Toronto, and has done so for years.",
        "The weather is lovely by the harbour today, friends, so let us all go out and sail.",
        "Shall we all meet again by the harbour next week, and who would bring the picnic basket?",
    )
    for number, text in enumerate(said):
        say(text, id=f"m-{number}", at=NOON + minutes(number))
    pipeline.digest(None, now=LATER)
    ProfileEntry.objects.all().delete()
    note = Message.objects.get(platform_id="m-0").notes.get()
    entry = make_entry("Has a sister who dances in the opera", notes=[note], status=REFUSED, refused_at=LATER)
    return ProfileEntry.objects.get(pk=entry.pk)


def delete(*names: str) -> None:
    pipeline.delete(north(), message_ids=names, now=LATER + minutes(5))
    pipeline.digest(None, now=LATER + minutes(60))


def refused() -> list[str]:
    return list(ProfileEntry.objects.filter(status=REFUSED).values_list("text", flat=True))


def test_its_text_goes_with_the_message_that_said_it(line):
    delete("m-0")
    assert refused() == []


def test_it_stays_refused_while_somebody_still_says_it(line):
    delete("m-1")
    assert refused() == [line.text]
    assert [note.messages.count() for note in (source.note for source in line.sources.all())] == [2]


def test_its_text_goes_in_the_end_whatever_went_before(line):
    delete("m-1")
    delete("m-0")
    assert refused() == []


def test_a_persons_own_words_stay_refused(line):
    ProfileEntry.objects.update(written_by=ProfileEntry.WrittenBy.PERSON)
    delete("m-0")
    assert refused() == [line.text]
