"""Embeddings that cost nothing: drawn from a text's own letters, the same in every process and environment."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 384


def drawn(text: str) -> NDArray[np.float32]:
    """Return the (384,) unit vector of a text."""
    vector = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(DIMENSIONS, dtype=np.float32)
    unit: NDArray[np.float32] = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit
