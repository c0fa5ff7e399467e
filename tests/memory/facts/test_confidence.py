"""How sure a fact is, is what docs/memory.md says."""

import re

import pytest
from django.conf import settings

from memory import pipeline, rules
from memory.facts.schemas import Candidate, Candidates, ExtractionInput
from memory.models import Fact
from memoryhub.ai import Line
from notes.models import Message
from tests.factories import NOON
from tests.incoming import say
from tests.memory.learning.conftest import BATCH, LATER
from tests.scripted import scripted


def documented():
    """Return the documented confidences by what they are for."""
    text = (settings.BASE_DIR / "docs" / "memory.md").read_text()
    table = text.split("## Confidence")[1].split("\n\n")[1]
    return {why: float(number) for number, why in re.findall(r"^\| (?:at most )?([\d.]+) \| (.+) \|$", table, re.M)}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("I live in Toronto.", "a statement of a known shape"),
        ("Ich wohne in Berlin.", "a statement in another language"),
        ("I restored an old wooden canoe with my uncle.", "any other statement"),
        ("Remember: game night is on Fridays.", "lore"),
        ("Bob lives in Rome.", "said by others"),
    ],
)
def test_the_rules_are_as_sure_as_is_documented(said, why):
    alice = Line(message=1, author=4, name="Alice", text=said, sent_at=NOON)
    bob = Line(message=2, author=5, name="Bob", text="hello", sent_at=NOON)
    given = ExtractionInput(guild="North", lines=[alice, bob], learn_from=[1], known=[])
    [sure] = {fact.confidence for fact in rules.extract(given).facts}
    assert sure == next(number for reason, number in documented().items() if why in reason)


@pytest.mark.django_db
def test_lore_is_as_sure_as_is_documented_whatever_a_model_thinks():
    say("Game night is on Fridays.")
    message = Message.objects.get()
    lore = Candidate(text=message.text, subject=None, quote=message.text, messages=[message.pk], confidence=0.95)
    with scripted() as model:
        model.will("extraction", Candidates(facts=[lore]))
        pipeline.learn_waiting(BATCH, now=LATER)
    assert Fact.objects.get().confidence == documented()["lore, learned or told"]
