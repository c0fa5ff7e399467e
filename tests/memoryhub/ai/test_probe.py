"""What the doctor says about models and embeddings."""

from __future__ import annotations

import pytest
from llmock.pytest_plugin import LLMock
from pytest_django import Settings

from memoryhub.ai import probe

WORD = '{"word": "hello"}'


def test_a_fresh_machine_is_in_order(unset: Settings) -> None:
    found = probe.describe()
    assert [finding.name for finding in found] == ["fast model", "careful model", "reply model", "embeddings"]
    assert all(finding.ok for finding in found)
    assert found[0].message.startswith("offline")


def test_a_guard_without_the_embedded_model_is_told_of(unset: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "guard" not in [finding.name for finding in probe.describe()]
    monkeypatch.setattr(probe, "find_spec", lambda _name: None)
    for found in (probe.describe()[-1], probe.probe()[-1]):
        assert (found.name, found.ok) == ("guard", True)
        assert "patterns alone" in found.message


def test_describing_uses_no_network_and_shows_no_key(unset: Settings) -> None:
    unset.MEMORYHUB_MODEL, unset.OPENAI_API_KEY = "openai:small", "hidden"
    unset.MEMORYHUB_MODEL_BASE_URL = "http://127.0.0.1:1/v1"
    assert probe.describe()[0] == ("fast model", True, "openai:small at http://127.0.0.1:1/v1")
    assert "hidden" not in str(probe.describe())


def test_a_wrong_setting_is_reported_not_raised(unset: Settings) -> None:
    unset.MEMORYHUB_MODEL = "gpt"
    assert [finding.ok for finding in probe.describe()] == [False, False, False, True]
    assert [finding.ok for finding in probe.probe()] == [False, False, False, True]


def test_the_probe_calls_every_tier(answering: LLMock) -> None:
    answering.reply(WORD, times=3)
    assert all(finding.ok for finding in probe.probe())
    assert len(answering.requests) == 3


def test_the_probe_says_what_is_wrong_with_the_key(answering: LLMock) -> None:
    answering.fail(401, times=None)
    found = probe.probe()
    assert [finding.ok for finding in found] == [False, False, False, True]
    assert "refused the key" in found[0].message


def test_the_probe_reports_a_failing_embedder(answering: LLMock, settings: Settings) -> None:
    settings.MEMORYHUB_MODEL, settings.MEMORYHUB_EMBEDDING_MODEL = "offline", "openai:text-embedding-3-small"
    answering.fail(404, times=None)
    last = probe.probe()[-1]
    assert (last.name, last.ok) == ("embeddings", False)
    assert "does not know this model" in last.message
