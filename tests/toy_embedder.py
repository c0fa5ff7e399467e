"""An embedder for tests: quick, deterministic, and near means that texts share words or their synonyms."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import numpy as np

from memoryhub import language
from memoryhub.ai import Thresholds

SYNONYMS = {"dwel": "live", "resid": "live", "hous": "live", "employ": "work", "job": "work", "puppi": "dog"}


class ToyEmbedder:
    """Bags of stems, hashed: the cosine is the share of words in common."""

    identity = "toy:bag:256"
    dimensions = 256
    thresholds = Thresholds(same=0.6, duplicate=0.98, related=0.3, floor=0.0, ceiling=0.9, distant=0.14)

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.while_embedding: Callable[[], object] = lambda: None

    def passages(self, texts):
        self.while_embedding()
        return np.array([self._bag(text) for text in texts], np.float32).reshape(len(texts), self.dimensions)

    def query(self, text):
        self.asked.append(text)
        return self._bag(text)

    def _bag(self, text):
        bag = np.full(self.dimensions, 1e-3, np.float32)
        for word in language.content(text):
            stem = language.stem(word)
            bag[zlib.crc32(SYNONYMS.get(stem, stem).encode()) % self.dimensions] += 1
        return bag / np.linalg.norm(bag)


def install(monkeypatch) -> ToyEmbedder:
    """Put the toy in the place of the settings' embedder, for indexing and for questions."""
    toy = ToyEmbedder()
    for module in (
        "index.embeddings",
        "index.reindexing",
        "recall.retrieval",
        "records.agent_items",
        "records.item_vectors",
    ):
        monkeypatch.setattr(f"memory.{module}.embedder", lambda: toy)
    return toy
