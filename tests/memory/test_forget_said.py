"""An account is marked as a spammer or impersonator: what it said goes, what others said stays."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory import pipeline
from memory.models import Action, Evidence, Fact
from memory.recall.search import recall
from memory.replies import responder
from memory.replies.responder import MessageToBot
from memoryhub.community.models import Member
from notes.models import InteractionNote, Message
from profiles.models import ProfileEntry
from tests.api_client import api_for
from tests.factories import NOON, days, minutes
from tests.incoming import north, say

pytestmark = pytest.mark.django_db
BLOCKED = "discord:1/members/u-mallory/blocked"


@pytest.fixture
def mallory():
    lines = [
        ("Alice", "I live in Toronto and I work as a nurse."),
        ("Mallory", "I am Alice, really, and I live in Atlantis."),
        ("Mallory", "Alice works as a smuggler."),
        ("Bob", "I have a dog named Bento."),
        ("Mallory", "I love submarines."),
    ]
    for number, (author, text) in enumerate(lines):
        say(text, author, at=NOON + minutes(number), id=f"m{number}")
    pipeline.digest(north(), now=NOON + days(1))
    assert Fact.objects.filter(text__contains="submarines").exists()
    return Member.objects.get(platform_id="u-mallory")


def bob():
    return Member.objects.get(platform_id="u-bob")


def told():
    yield from Fact.objects.values_list("text", flat=True)
    yield from Evidence.objects.values_list("quote", flat=True)
    yield from InteractionNote.objects.values_list("summary", flat=True)
    yield from ProfileEntry.objects.values_list("text", flat=True)
    yield from Message.objects.values_list("text", flat=True)


def test_what_it_said_goes_with_all_that_rests_on_it(mallory):
    assert pipeline.forget_said(mallory, actor="olga", now=NOON + days(2)) == 3
    pipeline.digest(north(), now=NOON + days(2))
    left = "\n".join(told())
    assert not any(word in left for word in ("Atlantis", "submarines", "smuggler"))
    assert "Toronto" in left
    assert "Bento" in left
    assert Member.objects.filter(pk=mallory.pk).exists()


def test_what_it_told_the_bot_goes_too(mallory):
    ask = {"guild": mallory.guild, "channel": None, "now": NOON + days(1), "speaker": mallory}
    for text in ("the harbour is full of gold", "the raid is on Friday"):
        responder.answer(MessageToBot(text=f"Remember for the server: {text}", **ask))
    responder.answer(MessageToBot(text="Remember for the server: the raid is on Friday", **ask | {"speaker": bob()}))
    assert Fact.objects.filter(subject=None).count() == 2
    pipeline.forget_said(mallory, actor="olga", now=NOON + days(2))
    assert [fact.text.strip(".") for fact in Fact.objects.filter(subject=None)] == ["The raid is on Friday"]


def test_nothing_of_it_is_recalled(mallory):
    pipeline.forget_said(mallory, actor="olga", now=NOON + days(2))
    found = recall(north(), question="Who loves submarines in Atlantis?", now=NOON + days(2))
    assert not any("submarines" in memory.text or "Atlantis" in memory.text for memory in found)


def test_it_goes_in_parts_and_again_does_nothing_more(mallory, monkeypatch):
    monkeypatch.setattr(pipeline, "FORGOTTEN_AT_ONCE", 2)
    assert pipeline.forget_said(mallory, actor="olga", now=NOON + days(2)) == 3
    assert pipeline.forget_said(mallory, actor="olga", now=NOON + days(2)) == 0
    first, again = Action.objects.filter(kind="member_disowned").order_by("pk")
    assert (first.detail["messages"], again.detail["messages"], first.actor) == (3, 0, "olga")


def test_by_the_api_an_account_is_blocked_and_forgotten(mallory):
    assert api_for(north(), "admin").put(BLOCKED, {"blocked": True, "forget": True}).json() == {"blocked": True}
    assert not Message.objects.filter(author=mallory, deleted_at=None).exists()
    assert say("I love submarines.", "Mallory").reason == "blocked"
    assert Message.objects.filter(text__contains="Toronto").exists()


def test_only_a_blocked_account_is_forgotten(mallory):
    answer = api_for(north(), "admin").put(BLOCKED, {"blocked": False, "forget": True})
    assert answer.status_code == 422
    assert "send blocked as true" in answer.content.decode()
    assert Message.objects.filter(author=mallory, deleted_at=None).count() == 3


def test_an_account_that_never_spoke_can_be_blocked_with_forget(mallory):
    path = BLOCKED.replace("mallory", "nobody")
    assert api_for(north(), "admin").put(path, {"blocked": True, "forget": True}).status_code == 200


def test_the_page_asks_first_and_then_forgets(mallory):
    olga = Client()
    olga.force_login(User.objects.create_superuser("olga"))
    page = f"/members/{mallory.pk}/disown/"
    assert "3 messages lose their text" in olga.get(page).content.decode()
    olga.post(page)
    assert Message.objects.filter(author=mallory, deleted_at=None).count() == 3
    shown = olga.post(page, {"confirm": "yes"}, follow=True).content.decode()
    assert "3 of their messages are forgotten" in shown
    assert not Message.objects.filter(author=mallory, deleted_at=None).exists()
    assert "u-mallory" in north().blocked


def test_without_the_right_to_change_the_page_refuses(mallory):
    client = Client()
    client.force_login(User.objects.create_user("eve"))
    assert client.post(f"/members/{mallory.pk}/disown/", {"confirm": "yes"}).status_code in (403, 404)
    assert Message.objects.filter(author=mallory, deleted_at=None).count() == 3
