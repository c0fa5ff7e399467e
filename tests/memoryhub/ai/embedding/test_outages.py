"""A provider of embeddings that is down: nobody waits for it, it is tried again in the background, and all know."""

from __future__ import annotations

import multiprocessing
import threading

import pytest
from llmock.pytest_plugin import LLMock
from pytest_django import Settings

from memoryhub.ai import Embedder, ModelFailed, circuit_breaker, embedder, event_loop
from memoryhub.ai.embedding import remote
from tests.memoryhub.ai.fake_provider import SILENCE, provider


@pytest.fixture
def down(unset: Settings, quick: None, llmock: LLMock) -> LLMock:
    unset.MEMORYHUB_EMBEDDING_MODEL, unset.OPENAI_API_KEY = "openai:text-embedding-3-small", "test-key"
    unset.MEMORYHUB_MODEL_BASE_URL = llmock.base_url("openai")
    llmock.fail(503, times=None)
    return llmock


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of the circuit breaker, to be set."""
    now = [1000.0]
    monkeypatch.setattr(circuit_breaker, "clock", lambda: now[0])
    return now


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when a try in the background is over."""
    over, note = threading.Event(), circuit_breaker.note

    def note_and_tell(service: str, failure: ModelFailed | None) -> None:
        note(service, failure)
        if threading.current_thread().name == "memoryhub-try":
            over.set()

    monkeypatch.setattr(circuit_breaker, "note", note_and_tell)
    return over


def made() -> Embedder:
    found = embedder()
    assert found is not None
    return found


def reason_of(question: str) -> str:
    with pytest.raises(ModelFailed) as caught:
        made().query(question)
    return caught.value.reason


def test_the_next_question_does_not_wait(down: LLMock) -> None:
    reason_of("Where?")
    asked = len(down.requests)
    assert reason_of("Who?") == "unavailable"
    assert len(down.requests) == asked


def test_a_question_waits_for_no_second_try(down: LLMock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_loop, "PAUSES", (1.0, 4.0))
    monkeypatch.setattr(remote, "QUESTION_SECONDS", 0.6)
    reason_of("Where?")
    assert len(down.requests) <= 1


def test_a_question_waits_no_longer_than_its_deadline(
    unset: Settings, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "QUESTION_SECONDS", 0.05)
    unset.MEMORYHUB_EMBEDDING_MODEL = "openai:small@2"
    with provider(SILENCE) as there:
        unset.MEMORYHUB_MODEL_BASE_URL = there.url
        assert reason_of("Where?") == "timed_out"


def test_it_is_tried_again_in_the_background(down: LLMock, later: list[float], tried: threading.Event) -> None:
    reason_of("Where?")
    later[0] += circuit_breaker.FIRST_PAUSE
    down.reset()
    assert reason_of("Where?") == "unavailable"
    assert tried.wait(60)
    assert made().query("Where?").shape == (1536,)


def test_a_try_that_fails_makes_the_pause_longer(down: LLMock, later: list[float], tried: threading.Event) -> None:
    reason_of("Where?")
    later[0] += circuit_breaker.FIRST_PAUSE
    reason_of("Where?")
    assert tried.wait(60)
    asked = len(down.requests)
    later[0] += circuit_breaker.FIRST_PAUSE
    reason_of("Where?")
    assert len(down.requests) == asked


def test_the_background_closes_it_too(down: LLMock, later: list[float]) -> None:
    reason_of("Where?")
    later[0] += circuit_breaker.FIRST_PAUSE
    down.reset()
    made().passages(["Alice lives in Porto."])
    assert made().query("Where?").shape == (1536,)


def test_the_background_leaves_it_alone_until_then(down: LLMock) -> None:
    reason_of("Where?")
    asked = len(down.requests)
    with pytest.raises(ModelFailed, match="failed lately"):
        made().passages(["Alice lives in Porto."])
    assert len(down.requests) == asked


def test_all_processes_know(down: LLMock) -> None:
    reason_of("Where?")
    service = f"openai:text-embedding-3-small:1536@{down.base_url('openai')}"
    with multiprocessing.get_context("fork").Pool(1) as other:
        assert other.apply(circuit_breaker.is_open, (service,))


def test_one_process_at_a_time_tries(down: LLMock, later: list[float]) -> None:
    reason_of("Where?")
    later[0] += circuit_breaker.FIRST_PAUSE
    service = f"openai:text-embedding-3-small:1536@{down.base_url('openai')}"
    assert [circuit_breaker.may_try(service) for _ in range(2)] == [True, False]


def test_what_a_request_brings_about_is_no_outage(down: LLMock) -> None:
    circuit_breaker.note("small", ModelFailed("too_long"))
    assert not circuit_breaker.is_open("small")


def test_a_text_is_embedded_once(down: LLMock) -> None:
    down.reset()
    made().passages(["Alice lives in Porto.", "Alice lives in Porto.", "Bob drives a Volvo."])
    made().passages(["Bob drives a Volvo.", "Bob runs."])
    assert [request.body["input"] for request in down.requests] == [
        ["Alice lives in Porto.", "Bob drives a Volvo."],
        ["Bob runs."],
    ]
