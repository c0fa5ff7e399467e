"""What an upper floor is told of a call."""

from __future__ import annotations

import pytest

from memoryhub.ai import ModelFailed, call_recorder


def test_a_call_that_goes_well_is_recorded_with_its_cost(calls: list[call_recorder.Call]) -> None:
    with call_recorder.recording(purpose="note", model="openai:small", guild=3) as spent:
        spent.tokens_in, spent.tokens_out = 20, 5
    [call] = calls
    assert (call.purpose, call.guild, call.tokens_in, call.tokens_out, call.outcome) == ("note", 3, 20, 5, "ok")


def test_a_failure_is_recorded_by_its_reason_and_goes_on(calls: list[call_recorder.Call]) -> None:
    with (
        pytest.raises(ModelFailed),
        call_recorder.recording(purpose="note", model="openai:small", guild=3),
    ):
        raise ModelFailed("cut_short")
    assert [(call.outcome, call.error_class) for call in calls] == [("failed", "cut_short")]


def test_a_stopped_caller_does_not_count_as_an_answer(calls: list[call_recorder.Call]) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        call_recorder.recording(purpose="note", model="openai:small", guild=3),
    ):
        raise KeyboardInterrupt
    assert [(call.outcome, call.error_class) for call in calls] == [("failed", "interrupted")]


def test_a_sink_registered_twice_is_told_once(calls: list[call_recorder.Call]) -> None:
    call_recorder.register(calls.append)
    call_recorder.register(calls.append)
    call_recorder.record(call_recorder.Call(purpose="note", model="openai:small", guild=None))
    assert len(calls) == 1


def test_without_a_rule_every_guild_may_ask(spent: set[int | None]) -> None:
    assert call_recorder.allowed(purpose="note", model="openai:small", guild=1)
    assert call_recorder.allowed(purpose="note", model="openai:small", guild=None)


def test_one_rule_that_refuses_is_enough(spent: set[int | None]) -> None:
    spent.add(1)
    assert not call_recorder.allowed(purpose="note", model="openai:small", guild=1)
    assert call_recorder.allowed(purpose="note", model="openai:small", guild=2)
