"""What the bot says when its model is down, slow or answers garbage: a short honest line, and requests are done."""

from __future__ import annotations

from dataclasses import replace

import pytest
from llmock.pytest_plugin import LLMock

from botrunner.actions import Caller
from botrunner.chat import answer
from memory.models import Fact
from memory.replies.responder import TROUBLE
from memoryhub.ai import model_choice, providers
from memoryhub.community.identity import Person
from notes.messages.schemas import GuildRef, IncomingChannel
from tests.factories import NOON
from tests.memoryhub.ai.sample_tasks import NAMES
from tests.memoryhub.conftest import quick  # noqa: F401  a fixture

pytestmark = pytest.mark.django_db(transaction=True)

ALICE = Caller(
    guild=GuildRef(key="discord:1", name="North"), person=Person(id="7", name="alice"),
    channel=IncomingChannel(id="10", name="general", kind="text", audience="guild"),
)  # fmt: skip
TROUBLES = {
    "down": lambda model: model.outage(),
    "slow": lambda model: model.delay(60, times=None),
    "calls that nobody can read": lambda model: model.break_tool_call("malformed_arguments", times=None),
    "tools that are none": lambda model: model.break_tool_call("unknown_tool", times=None),
    "nothing": lambda model: model.reply("", times=None),
}


@pytest.fixture(params=TROUBLES)
def trouble(request, settings, monkeypatch, quick, llmock: LLMock):  # noqa: F811
    """A reply model of which no sense comes."""
    settings.MEMORYHUB_REPLY_MODEL, settings.MEMORYHUB_MODEL_BASE_URL = NAMES["openai"], llmock.base_url("openai")
    settings.OPENAI_API_KEY = "test-key"
    monkeypatch.setattr(
        model_choice, "TERMS", {tier: replace(terms, seconds=0.3) for tier, terms in model_choice.TERMS.items()}
    )
    monkeypatch.setattr(providers, "TERMS", model_choice.TERMS)
    TROUBLES[request.param](llmock)


def say(text):
    return answer.answer(ALICE, (), text=text, answered="", now=NOON).text


@pytest.mark.usefixtures("trouble")
def test_free_talk_gets_a_short_honest_line():
    assert say("lovely weather") == TROUBLE


@pytest.mark.usefixtures("trouble")
def test_what_is_asked_of_memory_is_done_by_rules():
    assert "Lives in Porto" in say("remember that I live in Porto")
    assert Fact.objects.filter(text__startswith="Lives in Porto").exists()
