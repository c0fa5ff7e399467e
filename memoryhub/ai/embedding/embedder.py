"""From text to vectors: what an embedder is, and the one that the settings choose."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from django.conf import settings

from memoryhub.ai.embedding.thresholds import Thresholds
from memoryhub.ai.model_errors import ModelFailed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

SETTING = "MEMORYHUB_EMBEDDING_MODEL"
OFFLINE, NONE = "offline", "none"
FORMS = "offline (the embedded one), none, openai:<model> or google:<model>, with @<dimensions> for an unknown model"
# Characters that are embedded: the embedded model takes .3 ms a token, four letters of English or two of Japanese.
LONGEST, LONGEST_QUESTION = 1000, 400


class Embedder(Protocol):
    """Turns texts into unit vectors. `identity` names model and dimensions: vectors of another one do not compare."""

    @property
    def identity(self) -> str:
        """Return `provider:model:dimensions`."""

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""

    @property
    def thresholds(self) -> Thresholds:
        """Return what this embedder's cosines mean."""

    def passages(self, texts: Sequence[str]) -> Vector:
        """Return (n, dimensions) float32 unit vectors of texts that are kept. Raises ModelFailed."""

    def query(self, text: str) -> Vector:
        """Return the (dimensions,) unit vector of a question; shared, so do not write to it. Raises ModelFailed."""


def embedder() -> Embedder | None:
    """Return the embedder of the settings, or None when recall is by words only; `embedding_status` says why."""
    return _chosen()[0]


def embedded() -> Embedder | None:
    """Return the embedded one, whatever the settings choose, or None where it cannot run."""
    return _made(OFFLINE, "", ())[0]


def embedding_status() -> tuple[bool, str]:
    """Return whether vectors can be had (also true when none are wanted), and one sentence for the operator."""
    found, message = _chosen()
    return found is not None or settings.MEMORYHUB_EMBEDDING_MODEL == NONE, message


def clean(text: str) -> str:
    """Return text that every embedder takes: no null bytes, no lone surrogates, not empty, not long."""
    kept = text[:LONGEST].replace("\x00", " ").encode("utf-8", "replace").decode("utf-8").strip()
    return kept or "-"


def question(text: str) -> str:
    """Return the part of a question that is embedded while somebody waits."""
    return clean(text[:LONGEST_QUESTION])


def _chosen() -> tuple[Embedder | None, str]:
    """Return the embedder and a sentence on it; keys and address of a hosted one are part of what it is cached by."""
    if (setting := settings.MEMORYHUB_EMBEDDING_MODEL or OFFLINE) in (OFFLINE, NONE):
        return _made(setting, "", ())
    keys = (settings.MEMORYHUB_MODEL_API_KEY, settings.OPENAI_API_KEY, settings.GEMINI_API_KEY)
    address = settings.MEMORYHUB_EMBEDDING_MODEL_BASE_URL or settings.MEMORYHUB_MODEL_BASE_URL
    return _made(setting, address, keys)


@lru_cache(maxsize=4)
def _made(setting: str, _base_url: str, _keys: tuple[str, ...]) -> tuple[Embedder | None, str]:
    """Make the embedder once per process and settings."""
    if setting == NONE:
        return None, f"{SETTING} is none: recall is by words only."
    if setting == OFFLINE:
        from memoryhub.ai.embedding import local

        return local.load()
    from memoryhub.ai.embedding import remote

    try:
        made = remote.choose(setting)
    except ModelFailed as failure:
        return None, f"{failure.message} Until then recall is by words only."
    return made, f"{made.identity}, called for every question and new memory."
