"""Fixtures for the tests of memoryhub.ai: no model, or the real SDKs against servers on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from llmock.pytest_plugin import LLMock
from pytest_django import Settings

from memoryhub.ai import ask_model, call_recorder, event_loop, model_choice, providers
from memoryhub.ai.embedding import embedder, remote
from tests.memoryhub.ai.sample_tasks import NAMES

UNSET = (
    *("MODEL", "CAREFUL_MODEL", "REPLY_MODEL", "FALLBACK_MODEL", "EMBEDDING_MODEL"),
    *("MODEL_BASE_URL", "CAREFUL_MODEL_BASE_URL", "REPLY_MODEL_BASE_URL", "EMBEDDING_MODEL_BASE_URL"),
    *("MODEL_API_KEY", "GEMINI_API_VERSION"),
)


@pytest.fixture
def unset(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settings:
    """No model, no key, no address, and no upper floor that listens."""
    monkeypatch.setattr(call_recorder, "_sinks", [])
    monkeypatch.setattr(call_recorder, "_rules", [])
    monkeypatch.setattr(model_choice, "_rules", [])
    shared = {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache", "LOCATION": tmp_path / "shared"}
    settings.CACHES = {**settings.CACHES, "shared": shared}
    for name in UNSET:
        setattr(settings, f"MEMORYHUB_{name}", "")
    settings.OPENAI_API_KEY = settings.GEMINI_API_KEY = settings.ANTHROPIC_API_KEY = ""
    return settings


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Retries without a pause, requests that a busy machine can answer, no client kept for another test."""
    monkeypatch.setattr(event_loop, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(remote, "QUESTION_SECONDS", 60.0)
    monkeypatch.setattr(
        model_choice, "TERMS", {tier: replace(terms, seconds=60) for tier, terms in model_choice.TERMS.items()}
    )
    monkeypatch.setattr(providers, "TERMS", model_choice.TERMS)
    monkeypatch.setattr(ask_model, "_without_schemas", set())
    embedder._made.cache_clear()
    yield
    for provider in providers._providers.values():
        event_loop.run(cast("Any", provider)._own_http_client.aclose)
    providers._providers.clear()


@pytest.fixture(params=["openai", "google"])
def answering(request: pytest.FixtureRequest, unset: Settings, quick: None, llmock: LLMock) -> LLMock:
    """llmock as the fast model, once as OpenAI and once as Gemini."""
    unset.MEMORYHUB_MODEL = NAMES[request.param]
    unset.OPENAI_API_KEY = unset.GEMINI_API_KEY = "test-key"
    unset.MEMORYHUB_MODEL_BASE_URL = llmock.base_url("openai")
    return llmock


@pytest.fixture
def calls(unset: Settings) -> list[call_recorder.Call]:
    """What the recorder hands to an upper floor."""
    kept: list[call_recorder.Call] = []
    call_recorder.register(kept.append)
    return kept


@pytest.fixture
def spent(unset: Settings) -> set[int | None]:
    """Guilds put in here have spent their budget."""
    guilds: set[int | None] = set()

    call_recorder.register(lambda _call: None, lambda guild: guild not in guilds)
    return guilds
