"""The page that asks the memory: the answer with links to its sources, or that nothing is known."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from memory.answers.schemas import AnswerText, Sentence
from memory.models import Fact
from memory.views.community import ask as ask_page
from memoryhub.community import consent
from memoryhub.models import Role
from tests.factories import NOON, make_channel, make_guild, make_member, make_message
from tests.scripted import scripted
from tests.verification.pages import moderator
from tests.verification.statements import recorded, unbound

pytestmark = pytest.mark.django_db
WHERE = "Where does Alice live?"


@pytest.fixture
def mona():
    return moderator(make_guild())


def ask(client, text=WHERE, **fields):
    response = client.post(reverse("ask"), {"guild": "discord:1", "text": text, **fields})
    assert response.status_code == 200
    return response.content.decode()


def test_an_answer_leads_to_the_fact_and_to_the_message_that_tell_it(tell, mona):
    message = tell("I live in Toronto.", "Lives in Toronto.")
    said = tell("The lantern festival begins at nine on the pier.", who="Bob")
    shown = ask(mona)
    assert f'href="{reverse("fact", args=[Fact.objects.get().pk])}"' in shown
    assert "Lives in Toronto." in shown
    assert "no model wrote this" in shown
    assert f'href="{reverse("message", args=[said.pk])}"' in ask(mona, "When does the lantern festival begin?")
    assert message.pk != said.pk


def test_what_nobody_told_is_said_to_be_unknown(tell, mona):
    tell("I live in Toronto.", "Lives in Toronto.")
    shown = ask(mona, "Which instrument does Alice play?")
    assert "Nothing is known that answers it." in shown
    assert "Toronto" not in shown


def test_looking_at_the_page_asks_nothing(tell, mona, monkeypatch):
    monkeypatch.setattr(ask_page, "answer", lambda *_, **__: pytest.fail("asked"))
    shown = mona.get(reverse("ask"), {"text": WHERE}).content.decode()
    assert WHERE in shown


def test_what_was_said_in_private_answers_only_there(tell, mona):
    crew = make_channel(name="crew", private=True)
    tell("The lantern prize goes to Bob at nine.", who="Bob", channel=crew)
    question = "Who gets the lantern prize?"
    assert "Nothing is known" in ask(mona, question)
    assert "Nothing is known" in ask(mona, question, channel=make_channel().pk)
    assert "goes to Bob at nine" in ask(mona, question, channel=crew.pk)


def test_who_asks_is_who_says_i(tell, mona):
    tell("I live in Toronto these days.", "Lives in Toronto.")
    tell("Hello!", who="Bob")
    assert "Lives in Toronto." in ask(mona, "Where do I live these days?", who="Alice")
    assert "Nothing is known" in ask(mona, "Where do I live these days?", who="u-bob")


def test_of_two_who_look_alike_neither_is_guessed(mona):
    make_member(name="Sam", platform_id="u-1", label="Sam (1)", look="sam1")
    make_member(name="Sam", platform_id="u-2", label="Sam (2)", look="sam2")
    assert "Several members here are called so" in ask(mona, who="Sam")
    assert "called so" not in ask(mona, who="Sam (2)")
    assert "Nobody here is called so" in ask(mona, who="<b>Zoe</b>")


def test_somebody_who_opted_out_is_not_told_of(tell, mona):
    tell("I live in Toronto.", "Lives in Toronto.")
    consent.choose(make_member(), remember=False, actor="test", now=NOON)
    assert "Nothing is known" in ask(mona)


def test_hostile_words_and_names_are_shown_as_text(tell, mona):
    tell("The <b>lantern</b> festival begins at nine on the pier.", who="<i>Eve</i>")
    shown = ask(mona, "When does the <u>lantern</u> festival begin?")
    assert "&lt;b&gt;lantern&lt;/b&gt;" in shown
    assert not [tag for tag in ("<b>", "<i>", "<u>") if tag in shown]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"text": " \0 "}, "Write a question first"), ({"text": "x" * 2_001}, "at most 2,000 characters"),
        ({"who": "nobody"}, "Nobody here is called so"),
    ],
)  # fmt: skip
def test_what_is_no_question_is_told_so(mona, fields, told):
    assert told in ask(mona, **fields)


def test_memory_turned_off_is_said(mona):
    guild = make_guild()
    guild.memory_on = False
    guild.save()
    assert "Memory is turned off" in ask(mona)


def test_another_guild_and_its_channels_are_not_there(mona):
    channel = make_channel(make_guild("discord:2"))
    assert mona.post(reverse("ask"), {"guild": "discord:2", "text": WHERE}).status_code == 404
    assert mona.post(reverse("ask"), {"text": WHERE, "channel": channel.pk}).status_code == 404
    assert mona.post(reverse("ask"), {"text": WHERE, "channel": "x"}).status_code == 404


def test_a_reader_sees_that_a_moderator_may_ask():
    user = User.objects.create_user("rita")
    Role.objects.create(user=user, kind=Role.Kind.AUDITOR).guilds.set([make_guild()])
    client = Client()
    client.force_login(user)
    assert "Your role lets you read, not ask" in client.get(reverse("ask")).content.decode()
    assert client.post(reverse("ask"), {"text": WHERE}).status_code == 403


def test_without_a_guild_there_is_nobody_to_ask():
    olga = Client()
    olga.force_login(User.objects.create_superuser("olga"))
    assert "No guild yet." in olga.get(reverse("ask")).content.decode()
    assert olga.post(reverse("ask"), {"text": WHERE}).status_code == 200


def test_a_model_is_asked_once_and_only_what_its_sources_tell_is_shown(tell, mona):
    tell("I live in Toronto.", "Lives in Toronto.")
    said = AnswerText(
        sentences=[
            Sentence(text="Alice lives in Toronto.", sources=[1]),
            Sentence(text="Bob has a boat in Lisbon.", sources=[1]),
        ]
    )
    with scripted() as model:
        model.will("answer", said)
        shown = [ask(mona), ask(mona)]
    assert all("Alice lives in Toronto." in each and "Lisbon" not in each for each in shown)
    assert "In the words of the model" in shown[0]
    assert [purpose for purpose, _ in model.asked] == ["answer"]


def test_every_statement_names_the_guild(tell, mona):
    tell("I live in Toronto.", "Lives in Toronto.")
    with recorded() as statements:
        ask(mona, channel=make_channel().pk, who="Alice")
    assert [sql for sql in statements if unbound(sql)] == []


def test_a_source_that_is_gone_meanwhile_leads_nowhere(tell):
    said = make_message("The lantern festival begins at nine.")
    memory = ask_page.Memory(
        kind="message", id="m-gone", text=said.text, score=1.0, member=None, member_id=None, created_at=NOON, sources=[]
    )
    (source,) = ask_page.cited(make_guild(), ask_page.Answered(memories={1: memory}))
    assert (source.number, source.path) == (1, "")
