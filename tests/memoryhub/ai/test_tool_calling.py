"""Replies of a model with tools, through the real SDKs."""

from __future__ import annotations

import json
import threading
from contextlib import suppress

import pytest
from llmock.pytest_plugin import LLMock
from llmock.scenarios import Reply, ToolCall, ToolFault
from pydantic import BaseModel
from pytest_django import Settings

from memoryhub.ai import ModelFailed, call_recorder, tool_calling
from memoryhub.ai.tool_calling import MOST_ROUNDS, Tool
from tests.memoryhub.ai.fake_provider import SILENCE, provider


class Wanted(BaseModel):
    """What the tool takes."""

    text: str


class Book:
    """A tool that writes down what it was given, and in which thread."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.threads: set[int] = set()

    def keep(self, wanted: Wanted) -> str:
        self.kept.append(wanted.text)
        self.threads.add(threading.get_ident())
        return f"Kept as number {len(self.kept)}."


@pytest.fixture
def book() -> Book:
    return Book()


def ask(book: Book) -> str | None:
    tool = Tool(name="keep", description="Keep a text.", given=Wanted, do=book.keep)
    return tool_calling.reply(instructions="Be kind.", prompt="Remember tea.", tools=[tool], guild=7)


def calling(*texts: str) -> Reply:
    return Reply(tool_calls=tuple(ToolCall("keep", {"text": text}) for text in texts))


def test_a_model_without_a_wish_answers_in_words(answering: LLMock, book: Book) -> None:
    answering.reply("Hello!")
    assert (ask(book), book.kept) == ("Hello!", [])


def test_braces_in_words_stay(answering: LLMock, book: Book) -> None:
    answering.reply("Write {name} and {{place}}, then go.")
    assert ask(book) == "Write {name} and {{place}}, then go."


def test_a_tool_runs_in_the_callers_thread_and_its_result_is_read(answering: LLMock, book: Book) -> None:
    answering.add(calling("tea"))
    answering.reply("Done.")
    assert ask(book) == "Done."
    assert book.kept == ["tea"]
    assert book.threads == {threading.get_ident()}
    assert "Kept as number 1." in json.dumps(answering.last_request.body)


def test_several_tools_of_one_answer_all_run(answering: LLMock, book: Book) -> None:
    answering.add(calling("tea", "coffee"))
    answering.reply("Done.")
    ask(book)
    assert book.kept == ["tea", "coffee"]


def test_a_model_that_goes_in_circles_is_ended(answering: LLMock, book: Book) -> None:
    answering.add(Reply(tool_calls=(ToolCall("keep", {"text": "tea"}),), times=None))
    assert ask(book) == ""
    assert len(book.kept) == MOST_ROUNDS + 1


def test_arguments_that_can_not_be_read_are_told_to_the_model(answering: LLMock, book: Book) -> None:
    answering.add(Reply(tool_calls=(ToolCall("keep", {"words": 3}),)))
    answering.reply("Sorry.")
    assert ask(book) == "Sorry."
    assert book.kept == []
    assert "That could not be read: text." in json.dumps(answering.last_request.body)


@pytest.mark.parametrize("fault", ["malformed_arguments", "unknown_tool"])
def test_a_broken_call_does_nothing(answering: LLMock, book: Book, fault: str) -> None:
    answering.add(ToolFault(fault))
    with suppress(ModelFailed):
        assert ask(book)
    assert book.kept == []


def test_a_reply_is_recorded_once_with_the_tokens_of_all_rounds(
    answering: LLMock, book: Book, calls: list[call_recorder.Call]
) -> None:
    answering.add(calling("tea"))
    answering.reply("Done.")
    ask(book)
    [call] = calls
    assert (call.purpose, call.guild, call.outcome) == ("reply", 7, "ok")
    assert call.tokens_in > 0
    assert "tea" not in repr(call)


@pytest.mark.parametrize("status", [401, 404])
def test_a_refusal_is_a_failure_with_a_reason(answering: LLMock, book: Book, status: int) -> None:
    answering.fail(status)
    with pytest.raises(ModelFailed):
        ask(book)


def test_a_passing_error_between_two_rounds_repeats_no_tool(answering: LLMock, book: Book) -> None:
    answering.add(calling("tea"))
    answering.fail(503, retry_after=0)
    answering.reply("Done.")
    assert ask(book) == "Done."
    assert book.kept == ["tea"]


def test_without_a_model_nothing_is_said(unset, book: Book) -> None:
    unset.MEMORYHUB_MODEL = "offline"
    assert ask(book) is None


def test_a_reply_has_one_deadline_over_all_tries(
    unset: Settings, quick: None, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_calling, "MOST_SECONDS", 0.2)
    with provider(SILENCE) as there:
        unset.MEMORYHUB_MODEL, unset.MEMORYHUB_MODEL_BASE_URL = "openai:small", there.url
        with pytest.raises(ModelFailed) as caught:
            ask(book)
    assert caught.value.reason == "timed_out"


def test_the_fallback_has_its_part_of_the_time(
    answering: LLMock, unset: Settings, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_calling, "MOST_SECONDS", 60.0)
    monkeypatch.setattr(tool_calling, "FIRST_SECONDS", 0.2)
    answering.reply("Hello!")
    with provider(SILENCE) as there:
        unset.MEMORYHUB_FALLBACK_MODEL, unset.MEMORYHUB_MODEL = "google:gemini-3.5-flash-lite", "openai:silent"
        unset.MEMORYHUB_MODEL_BASE_URL = there.url
        assert ask(book) == "Hello!"


def test_no_pause_outlasts_the_deadline(
    answering: LLMock, book: Book, calls: list[call_recorder.Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_calling, "MOST_SECONDS", 15.0)
    answering.fail(503, times=None, retry_after=19)
    with pytest.raises(ModelFailed, match="overloaded"):
        ask(book)
    assert len(answering.requests) == 1
