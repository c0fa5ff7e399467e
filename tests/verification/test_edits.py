"""However often a message is rewritten, a digest derives it again once, from its last words."""

from __future__ import annotations

from collections import Counter

import pytest

from memory import pipeline
from memory.models import Fact
from notes.models import InteractionNote, Message
from profiles.models import ProfileEntry
from tests.factories import NOON, minutes
from tests.incoming import north, say
from tests.scripted import scripted

pytestmark = pytest.mark.django_db
LATER = NOON + minutes(60)
KEYS = [f"I live in {'Lisbon'[:letters]}" for letters in range(1, 7)]


@pytest.fixture
def model():
    with scripted() as model:
        yield model


def asked(model) -> Counter[str]:
    """Return what was asked since the last look, by purpose."""
    counts = Counter(purpose for purpose, _ in model.asked)
    model.asked.clear()
    return counts


def test_a_message_that_is_rewritten_letter_by_letter_is_derived_once_a_digest(model):
    say("I live in Toronto.", id="m-edited", at=NOON)
    for number in range(4):
        say(
            f"The weather is lovely by the harbour today, isn't it, friends? {number}", "Bob", at=NOON + minutes(number)
        )
    pipeline.digest(None, now=LATER)
    first = asked(model)
    assert {"extraction", "note"} <= set(first)
    for number, text in enumerate(KEYS):
        pipeline.edit(north(), message_id="m-edited", text=f"{text}.", now=LATER + minutes(number))
        assert not asked(model)  # nobody thinks while somebody types
        assert not Fact.objects.filter(text__contains="Toronto").exists()
    pipeline.digest(None, now=LATER + minutes(60))
    again = asked(model)
    assert (again["extraction"], again["note"]) == (1, 1)
    assert [fact.text for fact in Fact.objects.filter(subject__platform_id="u-alice")] == ["Lives in Lisbon."]
    for model_class, field in ((InteractionNote, "summary"), (ProfileEntry, "text"), (Message, "text")):
        assert not model_class.objects.filter(**{f"{field}__contains": "Toronto"}).exists()
    pipeline.digest(None, now=LATER + minutes(120))
    assert not asked(model)
