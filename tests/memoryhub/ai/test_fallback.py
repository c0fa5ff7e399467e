"""The model that stands in: when it is asked, when it is not, and what the ledger sees of it."""

from __future__ import annotations

from typing import get_args

import pytest
from llmock.pytest_plugin import LLMock
from llmock.scenarios import Reply
from pytest_django import Settings

from memoryhub.ai import ModelFailed, ask, call_recorder, model_errors, probe
from tests.memoryhub.ai.sample_tasks import EXPECTED, GOOD, LEARN, NAMES, SAID

ITS_OWN = {"wrong_setting", "cut_short", "bad_answer"}
"""Reasons that another model does not mend."""


@pytest.fixture
def two(unset: Settings, quick: None, llmock: LLMock) -> LLMock:
    """OpenAI as the model and Gemini as its fallback."""
    unset.MEMORYHUB_MODEL, unset.MEMORYHUB_FALLBACK_MODEL = NAMES["openai"], NAMES["google"]
    unset.OPENAI_API_KEY = unset.GEMINI_API_KEY = "test-key"
    unset.MEMORYHUB_MODEL_BASE_URL = llmock.base_url("openai")
    return llmock


@pytest.mark.parametrize(
    ("status", "reason"),
    [(401, "wrong_key"), (402, "no_credit"), (404, "unknown_model"), (429, "rate_limited"), (503, "unavailable"),
     (400, "rejected")],
)  # fmt: skip
def test_the_fallback_answers_and_both_are_recorded(
    two: LLMock, calls: list[call_recorder.Call], status: int, reason: str
) -> None:
    two.fail(status, times=None, retry_after=0, provider="openai").reply(GOOD, provider="gemini")
    assert ask(LEARN, SAID, guild=7) == EXPECTED
    assert [(call.model, call.outcome, call.error_class, call.guild) for call in calls] == [
        (NAMES["openai"], "failed", reason, 7),
        (NAMES["google"], "ok", "", 7),
    ]


def test_a_model_that_answers_leaves_the_fallback_alone(two: LLMock, calls: list[call_recorder.Call]) -> None:
    two.reply(GOOD)
    assert ask(LEARN, SAID, guild=7) == EXPECTED
    assert [call.model for call in calls] == [NAMES["openai"]]


@pytest.mark.parametrize("answer", [Reply(text="Sure!", times=None), Reply(text="{", finish_reason="length")])
def test_a_bad_answer_is_not_bought_twice(two: LLMock, calls: list[call_recorder.Call], answer: Reply) -> None:
    two.add(answer)
    with pytest.raises(ModelFailed):
        ask(LEARN, SAID, guild=7)
    assert [call.model for call in calls] == [NAMES["openai"]]


def test_what_the_provider_brings_about_is_mended_elsewhere_and_nothing_else() -> None:
    reasons = set(get_args(model_errors.Reason))
    assert {reason for reason in reasons if not ModelFailed(reason).elsewhere} == ITS_OWN


def test_when_both_fail_the_last_word_is_the_fallback_s(two: LLMock, calls: list[call_recorder.Call]) -> None:
    two.fail(401, times=None)
    with pytest.raises(ModelFailed, match="google:"):
        ask(LEARN, SAID, guild=7)
    assert [call.outcome for call in calls] == ["failed", "failed"]


def test_offline_as_a_fallback_lets_the_rules_answer(
    two: LLMock, unset: Settings, calls: list[call_recorder.Call]
) -> None:
    unset.MEMORYHUB_FALLBACK_MODEL = "offline"
    two.fail(401, times=None)
    assert ask(LEARN, SAID, guild=7) == LEARN.offline(SAID)
    assert [call.outcome for call in calls] == ["failed"]


def test_the_same_model_is_no_fallback(two: LLMock, unset: Settings) -> None:
    unset.MEMORYHUB_FALLBACK_MODEL = NAMES["openai"]
    two.fail(401, times=None)
    with pytest.raises(ModelFailed):
        ask(LEARN, SAID, guild=7)
    assert len(two.requests) == 1


def test_a_wrong_fallback_setting_is_told_by_name(two: LLMock, unset: Settings) -> None:
    unset.MEMORYHUB_FALLBACK_MODEL = "gemini"
    two.fail(503, times=None, retry_after=0)
    with pytest.raises(ModelFailed, match="MEMORYHUB_FALLBACK_MODEL is 'gemini'; write"):
        ask(LEARN, SAID, guild=7)
    assert [(finding.name, finding.ok) for finding in probe.describe()][3] == ("fallback model", False)


def test_the_probe_is_not_fooled_by_the_fallback(two: LLMock) -> None:
    two.fail(401, times=None, provider="openai").reply('{"word": "hello"}', provider="gemini", times=None)
    assert [finding.ok for finding in probe.probe()] == [False, False, False, True, True]
