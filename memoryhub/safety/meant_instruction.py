"""Text that orders a bot about in words that no pattern knows: told by its meaning, a vector of the embedded model.

Made for texts as short as a fact. `manage.py train_guard` learns the weights in the file beside this module.
"""

from __future__ import annotations

import json
from base64 import b64decode
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

WEIGHTS = Path(__file__).with_suffix(".json")


def means_instruction(vector: Vector) -> bool:
    """Say if the text of this vector (384 numbers, of the embedded model) rather orders a bot about than tells."""
    pairs, weights, bias = learned()
    return bool(vector @ pairs @ vector + vector @ weights + bias > 0)


@cache
def learned() -> tuple[Vector, Vector, float]:
    """Return the weights of each pair of numbers of a vector (a symmetric matrix), of each number, and the bias."""
    return unpacked(json.loads(WEIGHTS.read_text(encoding="utf-8")))


def unpacked(kept: dict[str, Any]) -> tuple[Vector, Vector, float]:
    """Return what `learned` returns, of what a file of weights holds."""
    import numpy as np

    weights = np.array(kept["weights"], np.float32)
    pairs = np.zeros((len(weights), len(weights)), np.float32)
    pairs[np.triu_indices(len(weights))] = np.frombuffer(b64decode(kept["pairs"]), np.int8) * kept["step"]
    return pairs + np.triu(pairs, 1).T, weights, kept["bias"]
