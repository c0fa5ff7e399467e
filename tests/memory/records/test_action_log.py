"""The action log names the calls and failures of memory as the designs that memoryhub joins name them."""

import pytest
from django.db import InterfaceError, connection

from memory import pipeline
from memory.jobs import digest_steps
from memory.models import Action, Snapshot
from memory.records.action_log import record_call
from memoryhub.ai.call_recorder import Call
from notes.summaries import due
from tests.factories import NOON, make_guild, minutes
from tests.incoming import north, say
from tests.scripted import scripted

pytestmark = pytest.mark.django_db
LATER = NOON + minutes(60)


def kinds():
    return list(Action.objects.order_by("pk").values_list("kind", flat=True))


@pytest.mark.parametrize(
    ("purpose", "outcome", "kind"),
    [
        ("extraction", "ok", ["memory_extract_call"]),
        ("extraction", "failed", []),
        ("embedding", "ok", ["memory_embedding_call"]),
        ("embedding", "failed", ["memory_embedding_error"]),
        ("embedding", "budget", []),
        ("note", "ok", []),
    ],
)
def test_calls_of_extraction_and_embedding_have_kinds_of_their_own(purpose, outcome, kind):
    guild = make_guild()
    record_call(
        Call(purpose=purpose, model="openai:small", guild=guild.pk, tokens_in=60, tokens_out=4, outcome=outcome)
    )
    assert kinds() == kind
    for action in Action.objects.all():
        assert (action.guild, action.detail["model"], action.detail["tokens"]) == (guild, "openai:small", 64)


def test_a_connection_that_was_lost_costs_no_answer_that_was_paid():
    def lost(*_):
        raise InterfaceError("connection already closed")

    with connection.execute_wrapper(lost):
        record_call(Call(purpose="note", model="openai:small", guild=None, tokens_in=60, tokens_out=4, outcome="ok"))


def test_what_was_learned_and_what_could_not_be_read_are_told():
    say("I live in Toronto.")
    with scripted() as model:
        model.fail("extraction")
        pipeline.learn_waiting("batch", now=LATER)
        pipeline.learn_waiting("batch", now=LATER + minutes(5))
    assert kinds() == ["memory_extract_error", "memory_fact"]


@pytest.mark.parametrize(("kind", "told"), [("text", "bot_error"), ("voice", "voice_error")])
def test_an_unexpected_failure_of_a_conversation_is_told_without_its_words(monkeypatch, kind, told):
    say("I live in Toronto.")
    north().channels.update(kind=kind)
    monkeypatch.setitem(digest_steps.STEPS, "note", lambda *_: 1 / 0)
    pipeline.digest(None, now=LATER)
    action = Action.objects.get(kind=told)
    assert action.detail == {"scope": "memory_note", "error": "ZeroDivisionError"}


def test_an_unexpected_failure_of_a_chore_is_told(monkeypatch):
    make_guild()
    monkeypatch.setattr(due, "summarize_due", lambda **_: 1 / 0)
    pipeline.tick(now=LATER)
    assert Action.objects.get(kind="bot_error").detail == {"scope": "memory_summaries", "error": "ZeroDivisionError"}


def test_a_chore_that_lost_the_connection_stops_no_other(monkeypatch):
    guild = make_guild()

    def lost(*_, **_detail):
        raise InterfaceError("connection already closed")

    def summarize(**_):
        with connection.execute_wrapper(lost):
            guild.refresh_from_db()

    monkeypatch.setattr(due, "summarize_due", summarize)
    monkeypatch.setattr(pipeline, "log", lost)
    pipeline.tick(now=LATER)
    assert Snapshot.objects.exists()
