"""Recorded answers of a model, good and bad, go through the same checks as those of the rules."""

import json
from pathlib import Path

import pytest

from memory.facts.schemas import Candidate, Candidates
from memory.learning import extraction
from memory.models import Fact
from memoryhub.community.models import Member
from notes.models import Message
from tests.factories import NOON, make_guild, minutes
from tests.incoming import say
from tests.scripted import scripted

pytestmark = pytest.mark.django_db
CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("scripted_answers.jsonl").read_text(encoding="utf-8").splitlines()
]


def stored(case):
    """Have what was said read by a model that answers with the case's one candidate; return what is believed then."""
    make_guild()
    for number, (author, text) in enumerate(case["said"].items()):
        say(text, author, at=NOON + minutes(number))
    of = case["of"] and getattr(Member.objects.filter(platform_id=f"u-{case['of'].lower()}").first(), "pk", 999_999)
    said = Message.objects.order_by("sent_at")
    message = next((each for each in said if case["quote"] in each.text), said[0])
    answer = Candidate(
        text=case["text"], subject=of, kind="profile", confidence=0.9, explicit=True, quote=case["quote"],
        messages=[message.pk],
    )  # fmt: skip
    with scripted() as model:
        model.will("extraction", Candidates(facts=[answer]))
        batch = extraction.Batch(list(Message.objects.order_by("sent_at").select_related("guild", "author", "channel")))
        counts = extraction.learn(batch, now=NOON + minutes(60))
        asked = [purpose for purpose, _ in model.asked]
    return list(Fact.objects.active().values_list("text", flat=True)), counts, asked


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_an_answer_is_stored_only_if_it_is_what_was_said(case):
    believed, counts, asked = stored(case)
    assert bool(believed) == case["stored"], (believed, counts, asked)
