"""Embeddings from OpenAI, a compatible server, or Gemini."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from memoryhub.ai import call_recorder, event_loop, model_choice, providers
from memoryhub.ai.embedding.cache import Shared
from memoryhub.ai.embedding.embedder import FORMS, SETTING, clean, question
from memoryhub.ai.embedding.thresholds import GOOGLE, OPENAI, Thresholds
from memoryhub.ai.model_errors import ModelFailed, failed, vendor_errors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic_ai.embeddings import EmbeddingResult

    Vector = NDArray[np.float32]

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


def choose(setting: str) -> Hosted:
    """Read `provider:model` or `provider:model@dimensions`. Raises ModelFailed that says what to write instead."""
    name, _, width = setting.partition("@")
    choice = model_choice.parse(name, name=SETTING) if name.partition(":")[0] in THRESHOLDS else None
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

    @property
    def identity(self) -> str:
        """Return `provider:model:dimensions`."""
        return f"{self.choice}:{self.dimensions}"

    @property
    def thresholds(self) -> Thresholds:
        """Return what the provider's cosines mean."""
        return THRESHOLDS[self.choice.provider]

    def passages(self, texts: Sequence[str]) -> Vector:
        """Return (n, dimensions) unit vectors, 64 texts a request. Raises ModelFailed."""
        import numpy as np

        batches = [self._embed(texts[at : at + BATCH], "document") for at in range(0, len(texts), BATCH)]
        return np.concatenate([np.empty((0, self.dimensions), np.float32), *batches])

    def query(self, text: str) -> Vector:
        """Return the (dimensions,) unit vector. Raises ModelFailed."""
        vector: Vector = self._queries.get(question(text), lambda: self._embed([question(text)], "query")[0])
        return vector

    def _embed(self, texts: Sequence[str], kind: Literal["document", "query"]) -> Vector:
        """Embed and record; the guild is unknown, since a vector is the same for all and costs next to nothing."""
        cleaned = [clean(text) for text in texts]
        with call_recorder.recording(purpose="embedding", model=str(self.choice), guild=None) as spent:
            result = event_loop.run(event_loop.with_retries(lambda: self._request(cleaned, kind)))
            spent.tokens_in = result.usage.input_tokens
            with suppress(LookupError):  # a model that pydantic-ai's prices do not know
                spent.cost_usd = result.cost().total_price if result.model_name else None
            return self._checked(result, len(texts))

    async def _request(self, texts: list[str], kind: Literal["document", "query"]) -> EmbeddingResult:
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
