"""Embeddings from OpenAI, a compatible server, or Gemini."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from memoryhub.ai import call_recorder, circuit_breaker, event_loop, model_choice, providers
from memoryhub.ai.embedding.cache import Passages, Shared
from memoryhub.ai.embedding.embedder import FORMS, SETTING, clean, question
from memoryhub.ai.embedding.thresholds import GOOGLE, OPENAI, Thresholds
from memoryhub.ai.model_errors import ModelFailed, failed, vendor_errors
from memoryhub.server import turns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic_ai.embeddings import EmbeddingResult

    Vector = NDArray[np.float32]

Kind = Literal["document", "query"]
THRESHOLDS = {"openai": OPENAI, "google": GOOGLE}
DIMENSIONS = {
    "openai:text-embedding-3-small": 1536,
    "openai:text-embedding-3-large": 3072,
    # Gemini's are cut to 768 of 3072, which its makers call nearly as good: a quarter of the disk and of the search.
    "google:gemini-embedding-001": 768,
    "google:gemini-embedding-2": 768,
}
BATCH = 64  # Gemini takes 100 texts a request, OpenAI 2,048
SECONDS = 30.0  # for one request
QUESTION_SECONDS = 0.6  # for a question in all: a search takes a second at most, and goes on by words


def choose(setting: str) -> Hosted:
    """Read `provider:model` or `provider:model@dimensions`. Raises ModelFailed that says what to write instead."""
    name, _, width = setting.partition("@")
    choice = model_choice.parse(name, name=SETTING, purpose=SETTING) if name.partition(":")[0] in THRESHOLDS else None
    if choice is None or (width and not width.isdecimal()):
        raise ModelFailed("wrong_setting", f"{SETTING} is {setting!r}; write {FORMS}.")
    dimensions = int(width or DIMENSIONS.get(name, 0))
    if not dimensions:
        raise ModelFailed("wrong_setting", f"{SETTING} is {setting!r}; add @ and the length of its vectors.")
    return Hosted(choice, dimensions, cut=choice.provider == "google" or (bool(width) and name in DIMENSIONS))


@dataclass(frozen=True)
class Hosted:
    """A provider's embedder. `cut`: ask the provider for vectors of this length, which not every server understands."""

    choice: model_choice.Choice
    dimensions: int
    cut: bool
    _queries: Shared[Vector] = field(default_factory=Shared)
    _passages: Passages = field(default_factory=lambda: Passages(batch=BATCH))

    @property
    def identity(self) -> str:
        """Return `provider:model:dimensions`."""
        return f"{self.choice}:{self.dimensions}"

    @property
    def service(self) -> str:
        """Return what the circuit breaker knows the provider by."""
        return f"{self.identity}@{self.choice.base_url}"

    @property
    def thresholds(self) -> Thresholds:
        """Return what the provider's cosines mean."""
        return THRESHOLDS[self.choice.provider]

    def passages(self, texts: Sequence[str]) -> Vector:
        """Return (n, dimensions) unit vectors, 64 texts a request. Raises ModelFailed."""
        cleaned = [clean(text) for text in texts]
        return self._passages.get(cleaned, self.dimensions, lambda batch: self._embed(batch, "document"))

    def query(self, text: str) -> Vector:
        """Return the (dimensions,) unit vector; somebody waits for it. Raises ModelFailed."""
        asked = question(text)
        # A turn is given up here, and not only by who asks the provider: others may wait for that answer.
        with event_loop.within(QUESTION_SECONDS), turns.given_up():
            vector: Vector = self._queries.get(asked, lambda: self._embed([asked], "query")[0])
        return vector

    def _embed(self, texts: list[str], kind: Kind) -> Vector:
        """Embed and record; the guild is unknown, since a vector is the same for all and costs next to nothing.

        Where the provider failed lately nobody waits for it: one caller of all processes tries again in the background.
        """
        service = self.service
        if circuit_breaker.is_open(service):
            mine = circuit_breaker.may_try(service)
            if mine and event_loop.somebody_waits():
                circuit_breaker.try_again(service, lambda: self._run(lambda: self._request(texts, kind)))
            if not mine or event_loop.somebody_waits():
                raise ModelFailed("unavailable", f"{self.choice} failed lately; it is tried again in the background.")
        with call_recorder.recording(purpose="embedding", model=str(self.choice), guild=None) as spent:
            try:
                result = self._run(lambda: event_loop.with_retries(lambda: self._request(texts, kind)))
            except ModelFailed as failure:
                circuit_breaker.note(service, failure)
                raise
            circuit_breaker.note(service, None)
            spent.tokens_in = result.usage.input_tokens
            with suppress(LookupError):  # a model that pydantic-ai's prices do not know
                spent.cost_usd = result.cost().total_price if result.model_name else None
            return self._checked(result, len(texts))

    def _run(self, work: Callable[[], Awaitable[EmbeddingResult]]) -> EmbeddingResult:
        return event_loop.run(work, model=str(self.choice))

    async def _request(self, texts: list[str], kind: Kind) -> EmbeddingResult:
        model = providers.embedding_model(self.choice)
        try:
            async with asyncio.timeout(SECONDS):
                return await model.embed(
                    texts, input_type=kind, settings={"dimensions": self.dimensions} if self.cut else {}
                )
        except tuple(vendor_errors()) as error:
            raise failed(error, model=str(self.choice)) from None

    def _checked(self, result: EmbeddingResult, count: int) -> Vector:
        """Return the vectors at length 1; Gemini's cut ones come shorter. Refuses what is not the shape we keep."""
        import numpy as np

        widths = [len(vector) for vector in result.embeddings]
        if widths != [self.dimensions] * count:
            raise ModelFailed(
                "bad_answer",
                f"{self.choice} gave {len(widths)} vectors of length {set(widths)}, not {count} of {self.dimensions}; "
                f"see {SETTING}.",
            )
        vectors = np.asarray(result.embeddings, dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths) & (lengths > 0)).all():
            raise ModelFailed("bad_answer", f"{self.choice} gave a vector without a direction.")
        return np.asarray(vectors / lengths, dtype=np.float32)
