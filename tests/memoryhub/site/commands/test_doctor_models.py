"""What `manage.py doctor --probe` says when a provider refuses, through the real SDKs against llmock."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from llmock.pytest_plugin import LLMock
from pytest_django import Settings

from tests.memoryhub.ai.sample_tasks import NAMES

pytestmark = pytest.mark.django_db
WORD = '{"word": "hello"}'


@pytest.fixture
def asked(answering: LLMock, unset: Settings) -> LLMock:
    unset.MEMORYHUB_EMBEDDING_MODEL = "none"
    return answering


def doctor() -> list[str]:
    """Return the report's lines about language models."""
    out = StringIO()
    try:
        call_command("doctor", "--probe", stdout=out)
    except CommandError as error:
        out.write(f"{error}\n")
    return [row for row in out.getvalue().splitlines() if " model: " in row]


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (404, "The provider does not know this model. Check its name and the base URL. (HTTP 404)"),
        (401, "The provider refused the key. Check it, and that it may use this model. (HTTP 401)"),
        (402, "The provider's account has no credit or quota left. (HTTP 402)"),
        (503, "The provider has an error or is overloaded. (HTTP 503)"),
    ],
    ids=["unknown model", "wrong key", "no credit", "overloaded"],
)
def test_each_refusal_is_told_in_words_with_the_model_s_name(
    asked: LLMock, unset: Settings, status: int, told: str
) -> None:
    asked.fail(status, times=None, retry_after=0)
    rows = doctor()
    assert [row.split(":")[0] for row in rows] == [f"WRONG  {tier} model" for tier in ("fast", "careful", "reply")]
    assert all(row.endswith(f"{unset.MEMORYHUB_MODEL}: {told}") for row in rows)
    assert "test-key" not in "".join(rows)


def test_openai_s_word_for_a_spent_account_is_understood(unset: Settings, quick: None, llmock: LLMock) -> None:
    unset.MEMORYHUB_MODEL, unset.MEMORYHUB_MODEL_BASE_URL = NAMES["openai"], llmock.base_url("openai")
    unset.OPENAI_API_KEY, unset.MEMORYHUB_EMBEDDING_MODEL = "test-key", "none"
    llmock.fail(429, times=None, code="insufficient_quota", message="You exceeded your current quota.")
    assert all("no credit or quota left" in row for row in doctor())
    assert len(llmock.requests) == 3  # one for each tier: asking again is no help


def test_models_that_answer_are_well(asked: LLMock, unset: Settings) -> None:
    asked.reply(WORD, times=3)
    tiers = ("fast", "careful", "reply")
    assert [row.split(" at ")[0] for row in doctor()] == [f"ok     {t} model: {unset.MEMORYHUB_MODEL}" for t in tiers]


def test_without_probe_nobody_is_asked(asked: LLMock) -> None:
    call_command("doctor", stdout=StringIO())
    assert asked.requests == []
