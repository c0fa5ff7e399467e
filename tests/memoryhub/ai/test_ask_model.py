"""Asking a model through the real SDKs: what comes back, what is recorded, and how each failure ends."""

from __future__ import annotations

import json
from dataclasses import replace
from unittest.mock import Mock

import pytest
from llmock.pytest_plugin import LLMock
from llmock.scenarios import Reply
from pytest_django import Settings

from memoryhub.ai import ModelFailed, ask, ask_model, call_recorder, event_loop, model_choice, providers
from tests.memoryhub.ai.fake_provider import CUT, SILENCE, provider
from tests.memoryhub.ai.sample_tasks import EXPECTED, GOOD, LEARN, NAMES, SAID


def point(settings: Settings, monkeypatch: pytest.MonkeyPatch, name: str, url: str) -> None:
    settings.MEMORYHUB_MODEL, settings.MEMORYHUB_MODEL_BASE_URL = NAMES[name], url
    settings.OPENAI_API_KEY = settings.GEMINI_API_KEY = "test-key"
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", url)


def failure() -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        ask(LEARN, SAID, guild=7)
    return caught.value


def test_an_answer_comes_back_as_the_task_s_schema(answering: LLMock) -> None:
    answering.reply(GOOD)
    assert ask(LEARN, SAID, guild=7) == EXPECTED


def test_the_schema_and_the_instructions_are_sent(answering: LLMock) -> None:
    answering.reply(GOOD)
    ask(LEARN, SAID, guild=7)
    sent = json.dumps(answering.last_request.body)
    assert all(part in sent for part in ("Return the facts.", "Alice moved to Porto.", '"facts"'))


def test_a_call_is_recorded_with_tokens_cost_and_time_but_no_text(
    answering: LLMock, calls: list[call_recorder.Call]
) -> None:
    answering.reply(GOOD)
    ask(LEARN, SAID, guild=7)
    [call] = calls
    assert (call.purpose, call.guild, call.outcome, call.error_class) == ("extraction", 7, "ok", "")
    assert call.model in NAMES.values()
    assert call.tokens_in > 0
    assert call.tokens_out > 0
    assert call.seconds > 0
    assert call.cost_usd
    assert "Porto" not in repr(call)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_a_passing_error_is_tried_again(answering: LLMock, calls: list[call_recorder.Call], status: int) -> None:
    answering.fail(status, retry_after=0).reply(GOOD)
    assert ask(LEARN, SAID, guild=7) == EXPECTED
    assert [call.outcome for call in calls] == ["ok"]


@pytest.mark.parametrize(
    ("status", "reason"),
    [(429, "rate_limited"), (500, "unavailable"), (503, "unavailable")],
)
def test_an_error_that_stays_ends_after_three_requests(
    answering: LLMock, calls: list[call_recorder.Call], status: int, reason: str
) -> None:
    answering.fail(status, times=None, retry_after=0)
    caught = failure()
    assert (caught.reason, caught.permanent, len(answering.requests)) == (reason, False, 3)
    assert [(call.outcome, call.error_class) for call in calls] == [("failed", reason)]


def test_a_long_retry_after_is_left_to_the_pipeline(answering: LLMock) -> None:
    answering.rate_limit(times=None, retry_after=600)
    assert failure().retry_after == 600
    assert len(answering.requests) == 1


def test_a_short_retry_after_is_waited_for(answering: LLMock, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(event_loop, "sleep", wait)
    answering.rate_limit(retry_after=7).reply(GOOD)
    assert ask(LEARN, SAID, guild=7) == EXPECTED
    assert waited == [7]


@pytest.mark.parametrize(("status", "reason"), [(401, "wrong_key"), (404, "unknown_model"), (402, "no_credit")])
def test_what_only_the_operator_can_mend_is_not_tried_again(answering: LLMock, status: int, reason: str) -> None:
    answering.fail(status, times=None)
    caught = failure()
    assert (caught.reason, caught.permanent, len(answering.requests)) == (reason, True, 1)


def test_a_rejected_request_is_no_permanent_failure(answering: LLMock) -> None:
    answering.fail(400, times=None)
    caught = failure()
    assert (caught.reason, caught.permanent) == ("rejected", False)


@pytest.mark.parametrize(
    "bad",
    ['{"facts": ["Lives in', '{"facts": 3}', "", "null", "[3]", "Sure! The facts are: she moved."],
    ids=["cut short", "wrong schema", "empty", "null", "list", "prose"],
)
def test_a_bad_answer_is_repaired_once(answering: LLMock, bad: str) -> None:
    answering.reply(bad).reply(GOOD)
    assert ask(LEARN, SAID, guild=7) == EXPECTED
    answering.reset().reply(bad, times=None)
    assert failure().reason == "bad_answer"
    assert len(answering.requests) == 2


def test_the_tokens_of_a_failed_answer_are_counted(answering: LLMock, calls: list[call_recorder.Call]) -> None:
    answering.reply("{", times=None)
    failure()
    assert calls[0].tokens_in > 0
    assert calls[0].tokens_out > 0


def test_an_answer_cut_at_its_length_is_not_asked_for_again(answering: LLMock) -> None:
    answering.add(Reply(text='{"facts": ["Lives', finish_reason="length", times=None))
    assert (failure().reason, len(answering.requests)) == ("cut_short", 1)


def test_ten_megabytes_of_nonsense_are_a_bad_answer(answering: LLMock) -> None:
    answering.reply("a" * 10_000_000, times=None)
    assert failure().reason == "bad_answer"
    assert len(json.dumps(answering.last_request.body)) < 10_000  # the repair does not send them back


@pytest.mark.parametrize("around", ["Here you are:\n```json\n{}\n```", "Sure! {}", "{}\nAnything else?", "\n {} \n"])
def test_json_is_read_out_of_what_surrounds_it(answering: LLMock, around: str) -> None:
    answering.reply(around.replace("{}", GOOD))
    assert ask(LEARN, SAID, guild=7) == EXPECTED
    assert len(answering.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        '```json\n["Lives in Porto."]\n```',
        'Here they are [1 in all]: ["Lives in Porto."] Is that {enough}?',
        '["Lives in Porto."]',
        '{"facts": ["Lives in Porto."]}}}',
        'I use {"facts"} as you asked: {"facts": ["Lives in Porto."]} and {nothing} else.',
        '<think>{"plan": 1}</think>{"facts": ["Lives in Porto."]}',
    ],
    ids=["fenced list", "list in prose", "list", "trailing braces", "braces in prose", "thoughts"],
)
def test_what_can_be_meant_costs_no_repair(answering: LLMock, answer: str) -> None:
    answering.reply(answer)
    assert ask(LEARN, SAID, guild=7) == EXPECTED
    assert len(answering.requests) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_provider_that_does_not_answer_times_out(
    unset: Settings, quick: None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(
        providers, "TERMS", {tier: replace(terms, seconds=0.05) for tier, terms in model_choice.TERMS.items()}
    )
    with provider(SILENCE) as there:
        point(unset, monkeypatch, name, there.url)
        assert failure().reason == "timed_out"


def test_a_failure_quotes_neither_prompt_nor_answer(answering: LLMock) -> None:
    answering.reply('{"facts": "Mallory\'s secret"}', times=None)
    caught = failure()
    assert "Mallory" not in str(caught)
    assert "Porto" not in str(caught)
    assert caught.__suppress_context__


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"{", b"[]", b"null", b'"text"', b"{}", b'{"choices": [], "candidates": []}', CUT],
    ids=["empty", "html", "half", "list", "null", "string", "object", "no choices", "cut connection"],
)
def test_an_unreadable_response_is_a_failure_that_the_pipeline_knows(
    unset: Settings, quick: None, monkeypatch: pytest.MonkeyPatch, name: str, body: bytes
) -> None:
    with provider(body) as there:
        point(unset, monkeypatch, name, there.url)
        assert failure().reason in {"garbled", "bad_answer", "unreachable"}


def test_a_server_that_is_not_there_is_unreachable(unset: Settings, quick: None) -> None:
    unset.MEMORYHUB_MODEL, unset.MEMORYHUB_MODEL_BASE_URL = "openai:local", "http://127.0.0.1:1/v1"
    assert failure().reason == "unreachable"


def test_a_compatible_server_without_schemas_gets_them_in_the_prompt(
    unset: Settings, quick: None, llmock: LLMock
) -> None:
    unset.MEMORYHUB_MODEL, unset.MEMORYHUB_MODEL_BASE_URL = "openai:local", llmock.base_url("openai")
    llmock.fail(400, message="response_format is not supported").reply(GOOD, times=2)
    assert ask(LEARN, SAID, guild=7) == EXPECTED
    assert ask(LEARN, SAID, guild=7) == EXPECTED
    formats = [json.dumps(request.body).count("json_schema") for request in llmock.requests]
    assert formats == [2, 0, 0]


def test_without_a_model_the_rules_answer_and_nothing_is_recorded(
    unset: Settings, calls: list[call_recorder.Call]
) -> None:
    assert ask(LEARN, SAID, guild=7) == LEARN.offline(SAID)
    assert calls == []


def test_a_spent_budget_turns_to_the_rules_and_says_so(
    answering: LLMock, calls: list[call_recorder.Call], spent: set[int | None]
) -> None:
    spent.add(7)
    assert ask(LEARN, SAID, guild=7) == LEARN.offline(SAID)
    assert answering.requests == []
    assert [(call.guild, call.outcome, call.tokens_in) for call in calls] == [(7, "budget", 0)]


def test_one_guild_s_spent_budget_does_not_stop_another(answering: LLMock, spent: set[int | None]) -> None:
    spent.add(7)
    answering.reply(GOOD)
    assert ask(LEARN, SAID, guild=8) == EXPECTED


# --- Later attempts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["bad_answer", "cut_short", "filtered", "too_long", "rejected"])
def test_from_the_second_attempt_on_the_rules_stand_in_for_an_answer_of_no_use(monkeypatch, reason) -> None:
    monkeypatch.setattr(ask_model, "ask_once", Mock(side_effect=ModelFailed(reason)))
    with pytest.raises(ModelFailed):
        ask(LEARN, SAID, guild=7, attempt=1)
    assert ask(LEARN, SAID, guild=7, attempt=2) == LEARN.offline(SAID)


@pytest.mark.parametrize("reason", ["unavailable", "timed_out", "wrong_key", "no_credit"])
def test_what_waiting_or_an_operator_helps_is_never_left_to_the_rules(monkeypatch, reason) -> None:
    monkeypatch.setattr(ask_model, "ask_once", Mock(side_effect=ModelFailed(reason)))
    with pytest.raises(ModelFailed):
        ask(LEARN, SAID, guild=7, attempt=5)
