"""Embeddings from providers, through the real SDKs against servers on loopback."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from llmock.pytest_plugin import LLMock
from pytest_django import Settings

from memoryhub.ai import ModelFailed, call_recorder, embedder, embedding_status
from memoryhub.server import turns
from tests.memoryhub.ai.fake_provider import CUT, GEMINI_VECTORS, SILENCE, provider


@pytest.fixture
def openai(unset: Settings, quick: None, llmock: LLMock) -> LLMock:
    unset.MEMORYHUB_EMBEDDING_MODEL, unset.OPENAI_API_KEY = "openai:text-embedding-3-small", "test-key"
    unset.MEMORYHUB_MODEL_BASE_URL = llmock.base_url("openai")
    return llmock


@pytest.fixture
def gemini(unset: Settings, quick: None) -> Settings:
    unset.MEMORYHUB_EMBEDDING_MODEL, unset.GEMINI_API_KEY = "google:gemini-embedding-001", "test-key"
    return unset


def test_openai_gives_unit_vectors(openai: LLMock) -> None:
    made = embedder()
    assert made is not None
    vectors = made.passages(["Alice lives in Porto.", "Bob drives a Volvo."])
    assert vectors.shape == (2, 1536)
    assert vectors.dtype.name == "float32"
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert made.identity == "openai:text-embedding-3-small:1536"
    assert made.passages([]).shape == (0, 1536)


def test_many_texts_go_in_batches(openai: LLMock) -> None:
    made = embedder()
    assert made is not None
    assert made.passages([f"fact {number}" for number in range(130)]).shape == (130, 1536)
    assert [len(request.body["input"]) for request in openai.requests] == [64, 64, 2]


def test_a_question_asked_again_makes_no_second_call(openai: LLMock) -> None:
    made = embedder()
    assert made is not None
    assert made.query("Where?") is made.query("Where?")
    assert len(openai.requests) == 1


def test_a_provider_that_asks_to_wait_is_asked_again(openai: LLMock, calls: list[call_recorder.Call]) -> None:
    openai.rate_limit(retry_after=0)
    made = embedder()
    assert made is not None
    assert made.query("Where?").shape == (1536,)
    assert [(call.purpose, call.outcome, call.guild) for call in calls] == [("embedding", "ok", None)]
    assert calls[0].tokens_in > 0
    assert calls[0].cost_usd


def test_a_refused_key_is_a_permanent_failure_and_recorded(openai: LLMock, calls: list[call_recorder.Call]) -> None:
    openai.fail(401, times=None)
    made = embedder()
    assert made is not None
    with pytest.raises(ModelFailed) as caught:
        made.query("Where?")
    assert caught.value.permanent
    assert [(call.outcome, call.error_class) for call in calls] == [("failed", "wrong_key")]
    assert len(openai.requests) == 1


def test_vectors_of_another_length_are_refused(openai: LLMock, unset: Settings) -> None:
    unset.MEMORYHUB_EMBEDDING_MODEL = "openai:nomic-embed-text@768"
    made = embedder()
    assert made is not None
    with pytest.raises(ModelFailed, match=r"1 vectors of length \{1536\}, not 1 of 768"):
        made.passages(["Alice lives in Porto."])


def test_gemini_gives_unit_vectors_of_the_length_it_is_asked_for(
    gemini: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with provider(GEMINI_VECTORS) as there:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", there.url)
        made = embedder()
        assert made is not None
        vectors = made.passages(["Alice lives in Porto.", "Bob drives a Volvo."])
        made.query("Where?")
    assert vectors.shape == (2, 768)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    tasks = [asked["requests"][0]["taskType"] for _, asked in there.asked]
    assert tasks == ["RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"]


@pytest.mark.parametrize("body", [b"", b"{", b"<html>", b"null", b"[]", b"{}", CUT], ids=repr)
@pytest.mark.parametrize("name", ["openai:text-embedding-3-small", "google:gemini-embedding-001"])
def test_an_unreadable_response_is_a_failure_that_recall_knows(
    gemini: Settings, monkeypatch: pytest.MonkeyPatch, name: str, body: bytes
) -> None:
    with provider(body) as there:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", there.url)
        gemini.MEMORYHUB_EMBEDDING_MODEL, gemini.MEMORYHUB_MODEL_BASE_URL = name, there.url
        made = embedder()
        assert made is not None
        with pytest.raises(ModelFailed) as caught:
            made.query("Where?")
    assert caught.value.reason in {"garbled", "bad_answer", "unreachable"}


@pytest.mark.parametrize("name", ["openai:text-embedding-3-small", "google:gemini-embedding-001"])
def test_an_embedder_that_does_not_answer_times_out(
    gemini: Settings, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("memoryhub.ai.embedding.remote.SECONDS", 0.05)
    with provider(SILENCE) as there:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", there.url)
        gemini.MEMORYHUB_EMBEDDING_MODEL, gemini.MEMORYHUB_MODEL_BASE_URL = name, there.url
        made = embedder()
        assert made is not None
        with pytest.raises(ModelFailed) as caught:
            made.query("Where?")
    assert caught.value.reason == "timed_out"


def test_those_who_ask_the_same_let_each_other_work_while_they_wait(
    gemini: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.ai.embedding.remote.SECONDS", 0.5)
    failed: list[str] = []

    def ask() -> None:
        with turns.turn(), pytest.raises(ModelFailed) as caught:
            made.query("Where?")
        failed.append(caught.value.reason)

    with provider(SILENCE) as there:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", there.url)
        gemini.MEMORYHUB_MODEL_BASE_URL = there.url
        made = embedder()
        assert made is not None
        threads = [threading.Thread(target=ask, daemon=True) for _ in range(2 * turns.AT_WORK)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert len(failed) == len(threads)


@pytest.mark.parametrize("setting", ["anthropic:voyage", "text-embedding-3-small", "openai:", "openai:small@x"])
def test_a_wrong_setting_leaves_words_only_and_says_what_to_write(unset: Settings, setting: str) -> None:
    unset.MEMORYHUB_EMBEDDING_MODEL, unset.OPENAI_API_KEY = setting, "a-key"
    fine, message = embedding_status()
    assert (embedder(), fine) == (None, False)
    assert message.startswith("MEMORYHUB_EMBEDDING_MODEL is ")
    assert message.endswith("Until then recall is by words only.")


def test_an_unknown_model_must_say_its_length(unset: Settings) -> None:
    unset.MEMORYHUB_EMBEDDING_MODEL, unset.OPENAI_API_KEY = "openai:nomic-embed-text", "a-key"
    assert "add @ and the length" in embedding_status()[1]


def test_a_missing_key_leaves_words_only(unset: Settings) -> None:
    unset.MEMORYHUB_EMBEDDING_MODEL = "google:gemini-embedding-001"
    assert "set GEMINI_API_KEY" in embedding_status()[1]
    assert embedder() is None


def test_a_vector_without_a_direction_is_refused(unset: Settings, quick: None) -> None:
    unset.MEMORYHUB_EMBEDDING_MODEL = "openai:small@2"
    with provider(b'{"data": [{"embedding": [0.0, 0.0], "index": 0}]}') as there:
        unset.MEMORYHUB_MODEL_BASE_URL = there.url
        made = embedder()
        assert made is not None
        with pytest.raises(ModelFailed, match="without a direction"):
            made.query("Where?")
