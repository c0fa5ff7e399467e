"""The vendors' side of a choice: its pydantic-ai model over connections kept for the process. Imports are slow here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from django.conf import settings

from memoryhub.ai.model_choice import TERMS, Choice
from memoryhub.ai.task import Tier

if TYPE_CHECKING:
    from pydantic_ai.embeddings import EmbeddingModel
    from pydantic_ai.models import Model
    from pydantic_ai.providers import Provider
    from pydantic_ai.settings import ModelSettings


def model(choice: Choice) -> Model:
    """Return the language model of the choice, its answers read leniently."""
    from memoryhub.ai.answer_parser import LenientModel

    provider = _provider(choice)
    if choice.provider == "google":
        from pydantic_ai.models.google import GoogleModel

        return LenientModel(GoogleModel(choice.name, provider=provider))
    if choice.provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel

        return LenientModel(AnthropicModel(choice.name, provider=provider))
    # Chat completions, not responses: what compatible servers speak, and OpenAI keeps no copy of them.
    from pydantic_ai.models.openai import OpenAIChatModel

    return LenientModel(OpenAIChatModel(choice.name, provider=provider))


def embedding_model(choice: Choice) -> EmbeddingModel:
    """Return the embedding model of the choice; Anthropic has none."""
    provider = _provider(choice)
    if choice.provider == "google":
        from pydantic_ai.embeddings.google import GoogleEmbeddingModel

        return GoogleEmbeddingModel(choice.name, provider=provider)
    from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel

    return OpenAIEmbeddingModel(choice.name, provider=provider)


def request_settings(*, tier: Tier, max_tokens: int) -> ModelSettings:
    """Return what goes with each request to a language model."""
    from pydantic_ai.settings import ModelSettings

    terms = TERMS[tier]
    return ModelSettings(
        max_tokens=max_tokens + terms.thinking_tokens,
        timeout=terms.seconds,
        request_timeout=terms.seconds,
        thinking=terms.thinking,
    )


# By process too, since a forked worker must not share its parent's connections.
_providers: dict[tuple[Choice, int], Provider[Any]] = {}


def _provider(choice: Choice) -> Provider[Any]:
    """Return the provider's client, made once, without retries of its own: the SDKs' would hide a Retry-After."""
    key = (choice, os.getpid())
    if key in _providers:
        return _providers[key]
    if choice.provider == "google":
        from google.genai.types import HttpOptions
        from pydantic_ai.providers.google import GoogleProvider

        class Versioned(GoogleProvider):
            # pydantic-ai has no word for the API's version, so its options are amended.
            def _build_http_options(self, **given: Any) -> HttpOptions:
                version = settings.MEMORYHUB_GEMINI_API_VERSION or None  # none: the SDK's own
                return super()._build_http_options(**given).model_copy(update={"api_version": version})

        _providers[key] = Versioned(api_key=choice.key)  # makes no retries by itself
    elif choice.provider == "anthropic":
        from pydantic_ai.providers.anthropic import AnthropicProvider

        _providers[key] = anthropic = AnthropicProvider(api_key=choice.key)
        anthropic.client.max_retries = 0
    else:
        from pydantic_ai.providers.openai import OpenAIProvider

        _providers[key] = openai = OpenAIProvider(base_url=choice.base_url or None, api_key=choice.key or "no-key")
        openai.client.max_retries = 0
    return _providers[key]
