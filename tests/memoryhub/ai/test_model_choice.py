"""Which model the settings choose, and what is said when they choose none that exists."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from memoryhub.ai import ModelFailed, Tier, ask, embedder, model_choice, providers
from memoryhub.ai.embedding.remote import Hosted
from tests.memoryhub.ai.fake_provider import GEMINI_VECTORS, provider
from tests.memoryhub.ai.sample_tasks import LEARN, SAID


def test_nothing_set_is_offline(unset: Settings) -> None:
    assert [model_choice.chosen(tier) for tier in model_choice.TERMS] == [None, None, None]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("OPENAI_API_KEY", "openai:gpt-6-luna"),
        ("GEMINI_API_KEY", "google:gemini-3.5-flash-lite"),
        ("ANTHROPIC_API_KEY", "anthropic:claude-haiku-4-5"),
    ],
)
def test_a_key_alone_chooses_its_provider_s_small_model(unset: Settings, key: str, expected: str) -> None:
    setattr(unset, key, "a-key")
    assert str(model_choice.chosen("fast")) == expected


def test_the_default_models_are_known_to_the_installed_pydantic_ai() -> None:
    from pydantic_ai.models import known_model_names

    known = set(known_model_names())
    assert {f"{provider}:{made.default_model}" for provider, made in model_choice.PROVIDERS.items()} <= known


def test_offline_wins_over_a_key(unset: Settings) -> None:
    unset.MEMORYHUB_MODEL, unset.OPENAI_API_KEY = "offline", "a-key"
    assert model_choice.chosen("fast") is None


@pytest.mark.parametrize("tier", ["careful", "reply"])
def test_the_other_tiers_follow_the_fast_one_until_they_are_set(unset: Settings, tier: Tier) -> None:
    unset.MEMORYHUB_MODEL, unset.OPENAI_API_KEY = "openai:small", "a-key"
    assert str(model_choice.chosen(tier)) == "openai:small"
    setattr(unset, model_choice.TERMS[tier].setting, "openai:large")
    assert str(model_choice.chosen(tier)) == "openai:large"


def test_a_tier_can_be_offline_while_the_fast_one_is_not(unset: Settings) -> None:
    unset.MEMORYHUB_MODEL, unset.OPENAI_API_KEY, unset.MEMORYHUB_CAREFUL_MODEL = "openai:small", "a-key", "offline"
    assert model_choice.chosen("careful") is None


@pytest.mark.parametrize("setting", ["gpt-6-luna", "mistral:large", "openai:", ":luna", "Offline", "gemini:flash"])
def test_a_wrong_setting_says_what_to_write_instead(unset: Settings, setting: str) -> None:
    unset.MEMORYHUB_MODEL, unset.OPENAI_API_KEY = setting, "a-key"
    with pytest.raises(ModelFailed, match=r"MEMORYHUB_MODEL is .*; write offline, openai:<model>") as caught:
        model_choice.chosen("fast")
    assert caught.value.permanent


def test_a_missing_key_is_named(unset: Settings) -> None:
    unset.MEMORYHUB_MODEL = "google:gemini-3.5-flash-lite"
    with pytest.raises(ModelFailed, match="set GEMINI_API_KEY"):
        model_choice.chosen("fast")


def test_a_server_of_one_s_own_needs_no_key(unset: Settings) -> None:
    unset.MEMORYHUB_MODEL, unset.MEMORYHUB_MODEL_BASE_URL = "openai:llama3.2:3b", "http://127.0.0.1:11434/v1"
    choice = model_choice.chosen("fast")
    assert choice == model_choice.Choice("openai", "llama3.2:3b", "", "http://127.0.0.1:11434/v1")


def test_the_key_of_memory_traffic_is_not_used_for_replies(unset: Settings) -> None:
    unset.MEMORYHUB_MODEL, unset.OPENAI_API_KEY, unset.MEMORYHUB_MODEL_API_KEY = "openai:small", "general", "memory"
    keys = {tier: choice.key for tier in model_choice.TERMS if (choice := model_choice.chosen(tier))}
    assert keys == {"fast": "memory", "careful": "memory", "reply": "general"}


def test_the_key_of_memory_traffic_is_not_sent_to_another_provider(unset: Settings) -> None:
    unset.MEMORYHUB_MODEL, unset.MEMORYHUB_MODEL_API_KEY = "openai:small", "memory"
    unset.MEMORYHUB_CAREFUL_MODEL, unset.GEMINI_API_KEY = "google:large", "google-key"
    choice = model_choice.chosen("careful")
    assert choice is not None
    assert choice.key == "google-key"


def test_the_address_of_a_compatible_server_is_not_used_for_gemini(unset: Settings) -> None:
    unset.MEMORYHUB_MODEL, unset.GEMINI_API_KEY = "google:large", "a-key"
    unset.MEMORYHUB_MODEL_BASE_URL = "http://127.0.0.1:11434/v1"
    choice = model_choice.chosen("fast")
    assert choice is not None
    assert choice.base_url == ""


def test_each_purpose_has_an_address_of_its_own(unset: Settings) -> None:
    unset.MEMORYHUB_MODEL, unset.MEMORYHUB_EMBEDDING_MODEL = "openai:small", "openai:nomic-embed-text@768"
    addresses = ("MODEL", "CAREFUL_MODEL", "REPLY_MODEL", "EMBEDDING_MODEL")
    for number, name in enumerate(addresses):
        setattr(unset, f"MEMORYHUB_{name}_BASE_URL", f"http://127.0.0.1:{number}/v1")
    made = embedder()
    assert isinstance(made, Hosted)
    choices = [*map(model_choice.chosen, model_choice.TERMS), made.choice]
    assert [choice.base_url[-4] for choice in choices if choice] == ["0", "1", "2", "3"]


def test_without_one_of_its_own_the_address_of_memory_traffic_holds(unset: Settings) -> None:
    unset.MEMORYHUB_MODEL, unset.MEMORYHUB_MODEL_BASE_URL = "openai:small", "http://127.0.0.1:1/v1"
    choices = map(model_choice.chosen, model_choice.TERMS)
    assert {choice.base_url for choice in choices if choice} == {"http://127.0.0.1:1/v1"}


def test_a_choice_never_shows_its_key() -> None:
    assert "hidden" not in repr(model_choice.Choice("openai", "small", "hidden", ""))


@pytest.mark.parametrize("provider", model_choice.PROVIDERS)
def test_every_provider_s_model_is_built_from_our_settings_alone(
    provider: str, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    built = providers.model(model_choice.Choice(provider, "any", "a-key", ""))
    assert (built.model_name, built.system) == ("any", provider)


def test_careful_thoughts_do_not_eat_the_answer_s_tokens() -> None:
    fast, careful = (providers.request_settings(tier=tier, max_tokens=100) for tier in ("fast", "careful"))
    assert (fast["thinking"], fast["max_tokens"]) == (False, 100)
    assert (careful["thinking"], careful["max_tokens"]) == ("low", 4196)


@pytest.mark.parametrize(("version", "path"), [("", "/v1beta/"), ("v1", "/v1/"), ("v1alpha", "/v1alpha/")])
def test_gemini_is_asked_in_the_version_of_the_setting(
    unset: Settings, quick: None, monkeypatch: pytest.MonkeyPatch, version: str, path: str
) -> None:
    unset.MEMORYHUB_GEMINI_API_VERSION = version
    unset.MEMORYHUB_EMBEDDING_MODEL, unset.GEMINI_API_KEY = "google:gemini-embedding-001", "a-key"
    unset.MEMORYHUB_MODEL = "google:any"
    with provider(GEMINI_VECTORS) as there:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", there.url)
        made = embedder()
        assert made is not None
        made.query("Where?")
        there.body = b"{}"
        with pytest.raises(ModelFailed):
            ask(LEARN, SAID, guild=None)
    assert {asked[: asked.index("models")] for asked, _ in there.asked} == {path}
